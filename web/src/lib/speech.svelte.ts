/** Reads paragraphs aloud with the browser's own voices. */
import { settings } from "./settings.svelte";

export const speech = $state({ speaking: false, paragraph: -1, scene: -1 });
export const canSpeak = "speechSynthesis" in window;

export const voices = () => (canSpeak ? speechSynthesis.getVoices().filter((voice) => voice.localService) : []);

export function stopReading(): void {
  speech.speaking = false;
  speech.paragraph = -1;
  if (canSpeak) speechSynthesis.cancel();
}

export function readAloud(scene: number, paragraphs: string[]): void {
  if (!canSpeak) return;
  stopReading();
  speech.speaking = true;
  speech.scene = scene;
  const voice = speechSynthesis.getVoices().find((known) => known.name === settings.readAloud.voice);
  paragraphs.forEach((paragraph, index) => {
    const words = new SpeechSynthesisUtterance(paragraph.replace(/[*_]/g, ""));
    if (voice) words.voice = voice;
    words.rate = settings.readAloud.rate || 1;
    words.onstart = () => (speech.paragraph = index);
    words.onend = () => {
      if (index === paragraphs.length - 1) stopReading();
    };
    words.onerror = () => stopReading();
    speechSynthesis.speak(words);
  });
}
