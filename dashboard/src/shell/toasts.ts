import { type ReadonlySignal, signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  /** What the server suggests, or what happened to what was made or paid. */
  readonly detail?: string;
  readonly action?: { readonly label: string; run(): void };
}

export type Toasts = ReturnType<typeof createToasts>;

const SHOWN_MS = 6000;
const MOST = 4;

/** Short messages at the bottom of the page: what was done goes after six seconds, what failed stays until it is closed. */
export function createToasts() {
  const list = signal<readonly Toast[]>([]);
  let next = 1;

  function close(id: number): void {
    list.value = list.peek().filter((toast) => toast.id !== id);
  }

  return {
    list: list as ReadonlySignal<readonly Toast[]>,
    close,
    show(toast: Omit<Toast, 'id'>): number {
      const id = next++;
      list.value = [...list.peek(), { ...toast, id }].slice(-MOST);
      if (toast.kind === 'done') setTimeout(close, SHOWN_MS, id);
      return id;
    },
  };
}
