import { Refusal } from '../../upstream/refusal.ts';
import type { Fields } from '../request/fields.ts';
import type { ImageCall, SentImage } from '../request/image-call.ts';
import { readLocalRequest } from '../request/local-request.ts';
import { toSentImage } from '../request/sent-image.ts';
import { checkBearer } from './check-bearer.ts';
import type { Dialect } from './dialect.ts';

interface Traits extends Pick<Dialect, 'about' | 'models' | 'replyMembers' | 'itemMembers'> {
  readonly maskPart: string;
  readonly defaults: Parameters<typeof readLocalRequest>[2];
  /** Checks a call. Throws `Refusal` if it is invalid. */
  check(fields: Fields): void;
}

/** An image server on FastAPI. Errors are `{detail}`, and an unknown model is accepted. */
export function pythonServer({ maskPart, defaults, check, ...traits }: Traits): Dialect {
  return {
    ...traits,
    basePath: '/v1',
    routes: { '/v1/images/generations': 'generate', '/v1/images/edits': 'edit' },
    hasKey: false,
    checkHead: checkBearer,
    async toCall(operation, fields) {
      check(fields);
      const call = readLocalRequest(operation, fields, defaults);
      return operation === 'edit' ? { ...call, ...(await readFiles(fields, maskPart)) } : call;
    },
    toErrorBody: ({ status, param, message, code }) => ({
      detail: status === 422 ? [{ loc: ['body', param], msg: message, type: code }] : message,
    }),
    replyHeaders: () => ({}),
  };
}

async function readFiles(
  { files }: Fields,
  maskPart: string,
): Promise<Pick<ImageCall, 'images' | 'mask'>> {
  const images: SentImage[] = [];
  for (const { bytes } of files.filter(({ name }) => name === 'image' || name === 'image[]')) {
    const image = await toSentImage(bytes);
    if (!image) throw new Refusal({ status: 400, code: 'image', message: 'cannot read an image' });
    images.push(image);
  }
  if (images.length === 0) {
    throw new Refusal({ status: 422, code: 'missing', message: 'Field required', param: 'image' });
  }
  const mask = files.find(({ name }) => name === maskPart);
  return { images, mask: mask && (await toSentImage(mask.bytes)) };
}
