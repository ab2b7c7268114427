import { type Clock, sleep } from '../../platform/clock.ts';
import type { ComfyServer } from './server.ts';

interface Deps {
  readonly server: Pick<ComfyServer, 'remove' | 'queue' | 'interrupt'>;
  readonly clock: Clock;
}

const POLL_MS = 100;
const TIMEOUT_MS = 5000;

/** Takes the prompt out of the queue or interrupts it, and waits until the server has neither, at most five seconds. Never rejects. */
export async function withdraw(id: string, { server, clock }: Deps): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const stopTimer = clock.after(TIMEOUT_MS, () => controller.abort());
  try {
    await server.remove(id, signal);
    for (let isInterrupted = false; ; ) {
      const queue = await server.queue(signal);
      const isRunning = queue?.running.includes(id) === true;
      if (!isRunning && !queue?.pending.includes(id)) return;
      // Only while it runs: an older server would stop the prompt of somebody else.
      if (isRunning && !isInterrupted) {
        isInterrupted = true;
        await server.interrupt(id, signal);
      }
      await sleep(clock, POLL_MS, signal);
    }
  } catch {
    // The call has ended and says so itself.
  } finally {
    stopTimer();
  }
}
