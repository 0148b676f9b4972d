import { mount } from "svelte";
import App from "./App.svelte";
import { loadSettings } from "./lib/settings.svelte";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/app.css";

// first how it is to look and sound, or a light page would begin dark and a silenced one with music
const patience = new Promise((give) => setTimeout(give, 1500));
void Promise.race([loadSettings(), patience]).then(() => mount(App, { target: document.getElementById("app")! }));
