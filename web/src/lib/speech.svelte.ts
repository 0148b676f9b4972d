/** Reads scenes aloud with the browser's own voices, sentence by sentence, from any of them on. */
import { sentencesOf } from "./prose";
import { settings } from "./settings.svelte";

export const speech = $state({ speaking: false, scene: -1, sentence: -1 });
export const canSpeak = "speechSynthesis" in window;

export const voices = () => (canSpeak ? speechSynthesis.getVoices().filter((voice) => voice.localService) : []);

let sentences: string[] = [];
let round = 0; // what was cancelled still reports its end

export function stopReading(): void {
  round += 1;
  speech.speaking = false;
  speech.sentence = -1;
  if (canSpeak) speechSynthesis.cancel();
}

/** Reads a scene from a sentence on, counted from 0 through all its paragraphs. */
export function readAloud(scene: number, paragraphs: string[], from = 0): void {
  if (!canSpeak) return;
  stopReading();
  const mine = round;
  sentences = paragraphs.flatMap((paragraph) =>
    sentencesOf(paragraph).map((sentence) => sentence.map((word) => word.text).join("")),
  );
  const first = Math.max(0, Math.min(from, sentences.length - 1));
  [speech.speaking, speech.scene, speech.sentence] = [true, scene, first];
  const voice = speechSynthesis.getVoices().find((known) => known.name === settings.readAloud.voice);
  const end = () => mine === round && stopReading();
  sentences.slice(first).forEach((sentence, index) => {
    const words = new SpeechSynthesisUtterance(sentence);
    if (voice) words.voice = voice;
    words.rate = settings.readAloud.rate || 1;
    words.onstart = () => {
      if (mine === round) speech.sentence = first + index;
    };
    words.onend = () => {
      if (first + index === sentences.length - 1) end();
    };
    words.onerror = end;
    speechSynthesis.speak(words);
  });
}

/** Goes on some sentences further, or back. */
export function skipSentences(scene: number, paragraphs: string[], by: number): void {
  if (speech.speaking) readAloud(scene, paragraphs, speech.sentence + by);
}
