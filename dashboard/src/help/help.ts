import { type ReadonlySignal, signal } from '@preact/signals';

/** A dialog that explains: the keys, or how to get from the sandbox to a real model. */
export type HelpTopic = 'shortcuts' | 'realModel';

/** Which of them is open. */
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
