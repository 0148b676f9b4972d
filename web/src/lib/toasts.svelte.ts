/** Short messages at the lower edge. */
export interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

let last = 0;
export const toasts: Toast[] = $state([]);

export function toast(text: string, action?: Toast["action"], seconds = 7): void {
  const id = ++last;
  if (toasts.some((shown) => shown.text === text)) return;
  toasts.push({ id, text, ...(action ? { action } : {}) });
  setTimeout(() => dismiss(id), seconds * 1000);
}

export function dismiss(id: number): void {
  const at = toasts.findIndex((shown) => shown.id === id);
  if (at >= 0) toasts.splice(at, 1);
}
