import { effect, type ReadonlySignal, signal } from '@preact/signals';

const THEMES = ['system', 'light', 'dark'] as const;
export type ThemeName = (typeof THEMES)[number];

const KEY = 'image-bridge.theme';

/** Controls the theme: light, dark, or as the system. Stored in this browser. */
export function createTheme() {
  const stored = localStorage.getItem(KEY);
  const name = signal<ThemeName>(THEMES.find((each) => each === stored) ?? 'system');
  effect(() => {
    const root = document.documentElement;
    if (name.value === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = name.value;
  });
  return {
    name: name as ReadonlySignal<ThemeName>,
    /** Switches to the next theme: system, light, dark. */
    next(): void {
      name.value = THEMES[(THEMES.indexOf(name.peek()) + 1) % THEMES.length] ?? 'system';
      localStorage.setItem(KEY, name.peek());
    },
  };
}
