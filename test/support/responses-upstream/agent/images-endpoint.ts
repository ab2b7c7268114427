import * as v from 'valibot';
import { type Clock, nowSecs } from '../../../../lib/platform/clock.ts';
import type { Calls } from '../../upstream/calls.ts';
import type { Images } from '../../upstream/images.ts';
import { Refusal } from '../../upstream/refusal.ts';
import { createCallHandler } from '../../upstream/run-call.ts';
import { checkAccount } from '../check-head.ts';
import type { Login } from '../login.ts';
import type { Settings } from '../settings.ts';
import { failureIn, sendFailure } from './agent-failures.ts';

interface Deps {
  readonly clock: Clock;
  readonly login: Login;
  readonly images: Images;
  readonly calls: Calls;
  readonly settings: Settings;
}

const EDGE_PX = 1024;

const ImageCall = v.looseObject({
  prompt: v.string(),
  images: v.optional(v.array(v.looseObject({ image_url: v.string() }))),
});

/**
 * `POST …/images/generations` and `…/images/edits`, which the image tool of the agent calls. They have two failures more than
 * the model: `garbage` is not an image, `empty` has no data.
 */
export function createImagesEndpoint({ clock, login, images, calls, settings }: Deps) {
  const { imageBytes: bytes, imageVariants, silenceMs } = settings;

  return createCallHandler(calls, async (call) => {
    const { incoming, response, number } = call;
    checkAccount(incoming.headers, login);
    const { prompt } = toImageCall(call.body, incoming.url?.endsWith('/edits') === true);
    const failure = failureIn(prompt, 'images');
    if (await sendFailure(call, failure, { clock, silenceMs })) return;
    const variant = String(number % imageVariants);
    const size = { width: EDGE_PX, height: EDGE_PX };
    const image = { ...size, format: 'png', hasAlpha: false, bytes, variant } as const;
    const { base64 } = await images.generate(image);
    const b64_json = failure === 'garbage' ? 'bm8gaW1hZ2U=' : base64.toString('latin1');
    const data = failure === 'empty' ? [] : [{ b64_json }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ created: nowSecs(clock), data }));
  });
}

/** Checks a call. Throws `Refusal` if an edit has no images or a generation has images. */
function toImageCall(body: Buffer, isEdit: boolean): v.InferOutput<typeof ImageCall> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), ImageCall), body.toString());
  const hasImages = parsed.success && (parsed.output.images?.length ?? 0) > 0;
  if (parsed.success && hasImages === isEdit) return parsed.output;
  throw new Refusal({ status: 400, code: 'invalid_value', message: 'no such call of images' });
}
