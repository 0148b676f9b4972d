/** Ambient music: one tune fades out while the next fades in. */
const FADE = 2500;

let current: HTMLAudioElement | null = null;
let wanted = "";
let loudness = 0.5;
const fading = new Map<HTMLAudioElement, number>();

function fade(audio: HTMLAudioElement, to: number, then?: () => void): void {
  cancelAnimationFrame(fading.get(audio) ?? 0);
  const from = audio.volume;
  const start = performance.now();
  const step = (now: number) => {
    const done = Math.min(1, (now - start) / FADE);
    audio.volume = Math.max(0, Math.min(1, from + (to - from) * done));
    if (done < 1) fading.set(audio, requestAnimationFrame(step));
    else {
      fading.delete(audio);
      then?.();
    }
  };
  fading.set(audio, requestAnimationFrame(step));
}

function begin(): void {
  const audio = current;
  if (!audio) return;
  audio.play().catch(() => {
    // browsers wait for a first click or key before they let a page sound
    const again = () => {
      removeEventListener("pointerdown", again);
      removeEventListener("keydown", again);
      if (audio === current) void audio.play().catch(() => undefined);
    };
    addEventListener("pointerdown", again);
    addEventListener("keydown", again);
  });
}

/** Plays this address, or nothing for "". */
export function playMusic(address: string): void {
  if (address === wanted) return;
  wanted = address;
  const old = current;
  if (old) fade(old, 0, () => old.pause());
  current = null;
  if (!address) return;
  current = new Audio(address);
  current.loop = true;
  current.volume = 0;
  begin();
  fade(current, loudness);
}

export function musicVolume(volume: number): void {
  loudness = volume ** 2; // loudness is heard, not measured
  if (current) {
    cancelAnimationFrame(fading.get(current) ?? 0);
    current.volume = loudness;
  }
}
