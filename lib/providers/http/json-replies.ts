import type { HttpBody } from '../../net/response-body.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { createJsonReader, type StreamedJson } from './streamed-json.ts';
import { unknownOutcome } from './unknown-outcome.ts';

interface Deps {
  /** The longest reply. */
  readonly maxBytes: number;
  readonly slices: TimeSlices;
}

// What a reply says beside its images.
const MAX_TEXT_BYTES = 1024 * 1024;

export type JsonReplies = ReturnType<typeof createJsonReplies>;

/** Reads replies that are one JSON value, in slices of the event loop: many at once do not delay other work. */
export function createJsonReplies({ maxBytes, slices }: Deps) {
  return {
    /**
     * The value, with its base64 decoded while it arrived. Throws `protocol` of unknown outcome for a reply that is too
     * long or not JSON. The connection is closed unless the reply has reached its end.
     */
    async read(body: HttpBody, signal: AbortSignal): Promise<StreamedJson> {
      const reader = createJsonReader(MAX_TEXT_BYTES);
      let bytes = 0;
      for await (const chunk of body) {
        bytes += chunk.length;
        const fits = bytes <= maxBytes && (await slices.runStep(() => reader.push(chunk), signal));
        if (!fits) throw unknownOutcome('reply_too_long');
      }
      const json = reader.end();
      if (!json) throw unknownOutcome('not_json');
      return json;
    },
  };
}
