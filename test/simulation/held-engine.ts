import type { ImageEngine, ImageTools } from '../../lib/images/image.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { abortable } from '../../lib/platform/abortable.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createTimeSlices } from '../../lib/platform/time-slices.ts';
import type { Turns } from './turns.ts';

const LIMITS = {
  max_encoded_bytes: 33_554_432,
  max_edge: 16_384,
  max_pixels: 67_108_864,
  max_decode_ms: 600_000,
};

const NEVER_ABORTS = new AbortController().signal;

/**
 * Creates an image engine whose results arrive in a reproducible order. All simulated processes share the engine, so it remembers
 * its answers about an image.
 */
export function createHeldEngine(turns: Turns) {
  const real = createImageEngine({
    limits: LIMITS,
    clock: systemClock,
    slices: createTimeSlices(systemClock),
  });
  const inspections = new WeakMap<Buffer, ReturnType<ImageTools['inspect']>>();

  /** Returns the functions of the engine, whose last argument is a signal. */
  function held(tools: ImageTools): ImageTools {
    const members = Object.entries(tools).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        const signal = args.pop() as AbortSignal;
        if (signal.aborted) return Promise.reject(signal.reason);
        const run = call as (...all: unknown[]) => Promise<unknown>;
        return abortable(
          turns.outside(() => run(...args, NEVER_ABORTS)),
          signal,
        );
      },
    ]);
    // Every member keeps its name and its type, so the cast is safe.
    return Object.fromEntries(members) as ImageTools;
  }

  const tools = held({
    ...real.forScope(''),
    inspect(bytes) {
      const known = inspections.get(bytes) ?? real.inspect(bytes, NEVER_ABORTS);
      inspections.set(bytes, known);
      return known;
    },
  });
  const engine: ImageEngine = {
    ...tools,
    forScope: () => tools,
    forDelivery: () => tools,
    close: async () => {},
  };
  return { engine, close: real.close };
}
