import type { Base64Slots } from '../upstream/base64-slots.ts';
import type { ByteSink } from '../upstream/byte-sink.ts';
import { comment, framed } from '../upstream/framing.ts';
import type { Settings } from './settings.ts';
import type { UnpublishedEvent, WireEvent } from './wire-types.ts';

interface Deps {
  readonly sink: ByteSink;
  readonly slots: Base64Slots;
  readonly settings: Settings;
  readonly wait: (delayMs: number) => Promise<void>;
}

export type EventStream = ReturnType<typeof createEventStream>;

/** Encodes events as the settings say, and numbers them. */
export function createEventStream({ sink, slots, settings, wait }: Deps) {
  const { framing, hasExtras, pauseMs } = settings;
  let nextNumber = 0;
  let isFirst = true;

  return {
    /** Sends one event, with the comments and events that the real backend sends around it. */
    async send(event: WireEvent): Promise<void> {
      if (pauseMs > 0) await wait(pauseMs);
      if (hasExtras) await write([comment('keep-alive', framing)]);
      await write(numbered(event));
      if (hasExtras && event.type === 'response.in_progress') await write(frame(RATE_LIMITS));
      if (hasExtras && event.type.endsWith('.generating')) await write(frame(KEEP_ALIVE));
    },

    /** Sends an event without a sequence number. */
    async aside(event: UnpublishedEvent): Promise<void> {
      await write(frame(event));
    },

    async comment(text: string): Promise<void> {
      await write([comment(text, framing)]);
    },

    async raw(bytes: Buffer | string): Promise<void> {
      await write([Buffer.from(bytes)]);
    },

    /** Returns the bytes of an event that the caller sends itself. */
    encode(event: WireEvent): Buffer {
      return Buffer.concat(numbered(event));
    },

    async end(): Promise<void> {
      if (framing.endsWithDone)
        await write([Buffer.from(`data: [DONE]${framing.lineEnd.repeat(2)}`)]);
      await sink.end();
    },
  };

  async function write(parts: readonly Buffer[]): Promise<void> {
    if (isFirst && framing.beginsWithBom) await sink.write(Buffer.from('\uFEFF'));
    isFirst = false;
    for (const part of parts) await sink.write(part);
  }

  function numbered(event: WireEvent): Buffer[] {
    const sequenced = { ...event, sequence_number: nextNumber };
    nextNumber += 1;
    return frame(sequenced);
  }

  function frame(event: { readonly type: string }): Buffer[] {
    return framed(event, framing, slots);
  }
}

const RATE_LIMITS: UnpublishedEvent = {
  type: 'codex.rate_limits',
  rate_limits: {
    allowed: true,
    limit_reached: false,
    primary: { used_percent: 12, window_minutes: 300, reset_after_seconds: 14_400 },
  },
};

const KEEP_ALIVE: UnpublishedEvent = { type: 'keepalive' };
