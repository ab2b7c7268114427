import { setMaxListeners } from 'node:events';

/** Creates a signal that can be aborted directly and that also aborts when `given` aborts, with the same reason. */
export function linkSignal(given?: AbortSignal) {
  const controller = new AbortController();
  // Every output and every image of a request adds a listener, and Node warns about a leak above ten listeners.
  setMaxListeners(0, controller.signal);
  const follow = () => controller.abort(given?.reason);
  if (given?.aborted) follow();
  else given?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason: Error): void => controller.abort(reason),
    /** Removes the link. Must be called when the work has ended, because a longer-lived signal keeps its listeners. */
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
