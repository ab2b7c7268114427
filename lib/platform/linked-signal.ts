import { setMaxListeners } from 'node:events';

/** An own signal that also aborts when another one does, with the same reason. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** Removes the link. Call it when the work is over: a signal that lives longer keeps its listeners. */
  end(): void;
}

/** Aborts with `given`, until `end` is called. */
export function linkSignal(given: AbortSignal): LinkedSignal {
  const controller = new AbortController();
  // Every output and every image of a request adds a listener; Node warns of a leak after ten.
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

/** Returns a signal that aborts when either one does; the first one itself if there is no other. */
export function anySignal(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  if (!other) return signal;
  const any = AbortSignal.any([signal, other]);
  setMaxListeners(0, any);
  return any;
}
