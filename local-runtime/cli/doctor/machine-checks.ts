import { statSync } from 'node:fs';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { dateOf, today } from '../../../lib/platform/days.ts';
import { createTimeSlices } from '../../../lib/platform/time-slices.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

const FORMATS: readonly OutputFormat[] = ['png', 'jpeg', 'webp'];
const PIXELS = { data: Buffer.alloc(8 * 8 * 3, 0x80), width: 8, height: 8, channels: 3 } as const;

// A date before the program existed.
const EARLIEST_MS = Date.UTC(2025, 0, 1);
const HOUR_MS = 3_600_000;

/** Checks each image format: encodes a small image and verifies the result. */
export async function checkImageFormats({ config, clock, signal }: Examined): Promise<Finding> {
  const slices = createTimeSlices(clock);
  const engine = createImageEngine({ limits: config.images, clock, slices });
  try {
    for (const format of FORMATS) {
      const encoded = await engine.encode(PIXELS, { format }, signal);
      const found = await engine.inspect(encoded, signal);
      if (!found.ok) return broken(`a small ${format} image is rejected (${found.fault})`);
    }
    return good('image formats', `${FORMATS.join(', ')} can be encoded and decoded`);
  } catch {
    return broken('the image library sharp cannot be loaded or used');
  } finally {
    await engine.close();
  }
}

function broken(message: string): Finding {
  const advice = 'Reinstall the package on this machine with this version of Node.';
  return bad('image formats', message, advice);
}

/** Checks the clock, on which certificates, logins and retention depend. */
export function checkClock({ config, clock }: Examined): Finding {
  const now = clock.nowMs();
  const advice = 'Set the clock of this machine, preferably with NTP.';
  if (now < EARLIEST_MS) {
    return bad('clock', `the date is ${dateOf(today(clock))}`, advice);
  }
  const written = statSync(config.state.directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return written > now + HOUR_MS
    ? warning('clock', 'the modification time of state.directory is in the future', advice)
    : good('clock', new Date(now).toISOString());
}
