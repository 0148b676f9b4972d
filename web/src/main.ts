import { mount } from "svelte";
import App from "./App.svelte";
import { loadSettings } from "./lib/settings.svelte";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/app.css";

void loadSettings();
mount(App, { target: document.getElementById("app")! });
