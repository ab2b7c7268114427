import type { JobEvent } from '../../lib/contract/resources/job-events.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import type { CommandIo } from './command-io.ts';
import { oneLine } from './print.ts';
import { styled } from './terminal.ts';

const EVERY_MS = 100;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
/** Moves the cursor to the beginning of the line and clears the line (ECMA-48: CR, EL). */
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows a line with the current stage of a job and the elapsed time, until `end` removes the line. Shows nothing without a
 * terminal, or on a terminal that cannot clear a line.
 */
export function startProgress({ isQuiet }: { readonly isQuiet: boolean }, io: CommandIo) {
  const isShown = io.isTerminal.stderr && io.env['TERM'] !== 'dumb';
  if (isQuiet || !isShown) return { onEvent() {}, end() {} };
  const began = systemClock.monotonicMs();
  let stage = 'queued';
  let cancel = () => {};
  const draw = () => {
    const ms = systemClock.monotonicMs() - began;
    const frame = FRAMES[Math.floor(ms / EVERY_MS) % FRAMES.length] ?? '';
    const seconds = `${Math.floor(ms / 1000)} s`;
    io.stderr(`${CLEAR_LINE}${styled('cyan', frame, 'stderr', io)} ${stage} ${seconds}`);
    cancel = systemClock.after(EVERY_MS, draw);
  };
  draw();
  return {
    onEvent(event: JobEvent): void {
      if (event.type === 'progress') stage = oneLine(event.stage);
      if (event.type === 'snapshot') {
        stage = oneLine(event.job.progress?.stage ?? event.job.status);
      }
    },
    end(): void {
      cancel();
      io.stderr(CLEAR_LINE);
    },
  };
}
