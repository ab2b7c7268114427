import { setMaxListeners } from 'node:events';

/** A signal of one's own that also aborts, with the same reason, when the one that it follows does. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** Follows no longer: what lives longer than the work must not keep hold of it. */
  end(): void;
}

/** Follows `given` until its `end`. */
export function linkSignal(given: AbortSignal): LinkedSignal {
  const controller = new AbortController();
  // Every output and every image of a request listens; Node would take more than ten for a leak and warn.
  setMaxListeners(0, controller.signal);
  const follow = () => controller.abort(given.reason);
  if (given.aborted) follow();
  else given.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    end: () => given.removeEventListener('abort', follow),
  };
}
