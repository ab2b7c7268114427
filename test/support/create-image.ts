import type { ImageResponse } from '../../lib/contract/reply/image-response.ts';
import type { ErrorBody } from '../../lib/errors/error-body.ts';
import type { StartedBridge } from './start-bridge.ts';

/** The reply to `POST /v1/images`. */
export interface ImageReply {
  readonly status: number;
  /** The fields of a result or of an error. The status decides which of them are present. */
  readonly json: ImageResponse & ErrorBody;
}

/** Sends `POST /v1/images`. Rejects if there is no reply or the signal aborts. */
export async function createImage(
  { address }: Pick<StartedBridge, 'address'>,
  body: object,
  signal?: AbortSignal,
): Promise<ImageReply> {
  const response = await fetch(`${address}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return { status: response.status, json: (await response.json()) as ImageReply['json'] };
}

/** Returns the bytes of the first inline image of a reply. */
export function firstImage({ json }: ImageReply): Buffer {
  const [image] = json.data;
  if (image?.type !== 'b64_json') throw new Error('the reply has no inline image');
  return Buffer.from(image.b64_json, 'base64');
}
