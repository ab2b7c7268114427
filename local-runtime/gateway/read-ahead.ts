import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';

/** All bodies together are read ahead up to this many times the largest allowed one. */
const MAX_BODIES = 3;

/**
 * Reads the bodies of requests that are held: the end of a connection that is not read would not be noticed. Node stops
 * reading at some 64 KiB; where more may be taken, this lets it continue. The bytes stay in the request.
 */
export function createReadAhead(maxBodyBytes: number) {
  const maxBytes = MAX_BODIES * maxBodyBytes;
  let bytes = 0;

  /** Returns what ends it. */
  function begin(incoming: IncomingMessage): () => void {
    const { socket } = incoming;
    let ownBytes = 0;
    let isEnded = false;

    function onPause(): void {
      const grownBytes = incoming.readableLength - ownBytes;
      ownBytes += grownBytes;
      bytes += grownBytes;
      // Where nothing has come, it was paused for another reason, and would be again.
      const mayContinue = grownBytes > 0 && ownBytes <= maxBodyBytes && bytes <= maxBytes;
      // A pause is complete only after its event.
      if (mayContinue) process.nextTick(resume);
    }

    function resume(): void {
      if (!isEnded) socket.resume();
    }

    // Several requests of one connection may be held.
    setMaxListeners(0, socket);
    socket.on('pause', onPause);
    if (socket.isPaused()) onPause();
    return () => {
      isEnded = true;
      bytes -= ownBytes;
      socket.off('pause', onPause);
    };
  }

  return {
    /** Reads the body ahead until `wait` settles. */
    async whileRead<T>(incoming: IncomingMessage, wait: () => Promise<T>): Promise<T> {
      const end = begin(incoming);
      try {
        return await wait();
      } finally {
        end();
      }
    },
  };
}
