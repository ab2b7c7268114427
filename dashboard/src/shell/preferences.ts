import { effect, type Signal, signal } from '@preact/signals';

/** Creates a signal that is stored in this browser. `parse` returns the default for a missing or unknown value. */
function stored<T extends string | number>(name: string, parse: (kept: string | null) => T) {
  const key = `image-bridge.${name}`;
  const kept = localStorage.getItem(key);
  const value: Signal<T> = signal(parse(kept));
  const initial = value.peek();
  let isChanged = false;
  effect(() => {
    isChanged ||= value.value !== initial;
    if (isChanged) localStorage.setItem(key, String(value.value));
  });
  return value;
}

/** `folded` if the panel for a new image is collapsed on wide screens. */
export const panel = stored('panel', (kept) => (kept === 'folded' ? 'folded' : 'open'));

export function togglePanel(): void {
  panel.value = panel.peek() === 'folded' ? 'open' : 'folded';
}

/** `off` if keys without Ctrl, Alt or ⌘ do nothing, because speech input can type single keys by accident. */
export const singleKeys = stored('single-keys', (kept) => (kept === 'off' ? 'off' : 'on'));

/** `folded` if the family under an image is collapsed. */
export const familyStrip = stored('family', (kept) => (kept === 'folded' ? 'folded' : 'open'));

export const SMALLEST = 0.6;
export const LARGEST = 2;

/** The factor by which the usual height of the gallery's rows is multiplied. */
export const tileScale = stored('tile-scale', (kept) => {
  const scale = Number.parseFloat(kept ?? '1');
  return scale >= SMALLEST && scale <= LARGEST ? scale : 1;
});

/** `on` if each image of the gallery shows the verdict on its credentials. Otherwise only changed images show theirs. */
export const credentialMarks = stored('credential-marks', (kept) => (kept === 'on' ? 'on' : 'off'));

const THEMES = ['system', 'light', 'dark'] as const;

export const theme = stored('theme', (kept) => THEMES.find((each) => each === kept) ?? 'system');

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.peek()) + 1) % THEMES.length] ?? 'system';
}

/** Applies the theme to the page from now on. */
export function applyTheme(): void {
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === 'system') delete dataset['theme'];
    else dataset['theme'] = theme.value;
  });
}
