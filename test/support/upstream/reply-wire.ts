import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, sleep } from '../../../lib/platform/clock.ts';
import type { Base64Slots } from './base64-slots.ts';
import { type ByteSink, type Chunks, createByteSink } from './byte-sink.ts';

interface WireSettings {
  readonly chunks: Chunks;
  readonly chunkPauseMs: number;
  /** Time for which a silent behaviour sends nothing. */
  readonly silenceMs: number;
}

interface Deps {
  readonly clock: Clock;
  readonly slots: Base64Slots;
  readonly settings: WireSettings;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Called before the connection is broken on purpose. */
  readonly onCut: () => void;
  readonly onSilence: (isSilent: boolean) => void;
}

type Headers = Readonly<Record<string, string>>;

/** The functions that send the reply to one call. Every wait rejects after the client disconnects. */
export function createReplyWire(deps: Deps) {
  const { clock, slots, settings, incoming, response, signal } = deps;
  const wait = (delayMs: number) => sleep(clock, delayMs, signal);
  let sink: ByteSink | undefined;

  return {
    wait,

    /** Sends a reply with one body: a text as HTML, any other value as JSON. */
    async reply(status: number, body: unknown, headers: Headers = {}): Promise<void> {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...headers });
      const whole = createByteSink({ ...deps, ...settings });
      for (const part of slots.fill(text)) await whole.write(part);
      await whole.end();
    },

    /** Sends the header of a body that the caller writes, with `changes` to the settings. */
    open(headers: Headers, changes: Partial<WireSettings> = {}, status = 200): ByteSink {
      response.writeHead(status, headers);
      response.flushHeaders();
      sink = createByteSink({ ...deps, ...settings, ...changes });
      return sink;
    },

    /** Returns a future time in the format of HTTP headers (RFC 9110, 5.6.7). */
    httpDate: (aheadSecs: number) => new Date(clock.nowMs() + aheadSecs * 1000).toUTCString(),

    /** Writes bytes that are not HTTP. */
    socket: (): Socket => incoming.socket,

    /** Flushes earlier writes, then sends nothing for `silenceMs`. */
    async silence(): Promise<void> {
      await sink?.flush();
      deps.onSilence(true);
      await wait(settings.silenceMs);
      deps.onSilence(false);
    },

    /** Breaks the connection. A close delivers earlier writes first. A reset may discard them. */
    async cut(how: 'close' | 'reset'): Promise<void> {
      const { socket } = incoming;
      deps.onCut();
      if (how === 'reset') {
        socket.resetAndDestroy();
        return;
      }
      await sink?.flush();
      socket.end(() => socket.destroy());
    },
  };
}
