import { type ReadonlySignal, signal } from '@preact/signals';

/** The topics: keyboard shortcuts, and how to use a real model instead of the sandbox. */
export type HelpTopic = 'shortcuts' | 'realModel';

/** Tracks which help dialog is open. */
export function createHelp() {
  const topic = signal<HelpTopic | undefined>(undefined);
  return {
    topic: topic as ReadonlySignal<HelpTopic | undefined>,
    open(next: HelpTopic): void {
      topic.value = next;
    },
    close(): void {
      topic.value = undefined;
    },
  };
}
