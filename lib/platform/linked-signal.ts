import { setMaxListeners } from 'node:events';

/** A signal that can be aborted directly and that also aborts when another signal aborts. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** Removes the link. Must be called when the work has ended, because a longer-lived signal keeps its listeners. */
  end(): void;
}

/**
 * Creates a signal that aborts when `given` aborts, with the same reason, until `end` is called. Without `given`, the signal
 * aborts only when `abort` is called.
 */
export function linkSignal(given?: AbortSignal): LinkedSignal {
  const controller = new AbortController();
  // Every output and every image of a request adds a listener, and Node warns about a leak above ten listeners.
  setMaxListeners(0, controller.signal);
  const follow = () => controller.abort(given?.reason);
  if (given?.aborted) follow();
  else given?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    end: () => given?.removeEventListener('abort', follow),
  };
}

/** Returns a signal that aborts when either signal aborts, or the first signal itself if `other` is undefined. */
export function anySignal(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  if (!other) return signal;
  const any = AbortSignal.any([signal, other]);
  setMaxListeners(0, any);
  return any;
}
