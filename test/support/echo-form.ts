import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as v from 'valibot';
import { closedObject } from '../../lib/contract/schema/closed-object.ts';
import { documented } from '../../lib/contract/schema/fields.ts';
import { openObject } from '../../lib/contract/schema/open-object.ts';
import type { HttpSettings } from '../../lib/http/http-event.ts';
import { createOperation } from '../../lib/http/operation.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { formType } from './form-bytes.ts';
import { openHttpSettings, toEvent } from './invoke.ts';

const Fields = openObject({
  title: v.pipe(v.string(), v.minLength(1)),
  note: v.optional(v.string()),
  extra: documented(v.optional(v.pipe(v.string(), v.parseJson())), 'Whatever it is.', {
    contentMediaType: 'application/json',
  }),
});

/** A form of some text, some pages, and one cover. */
export const bookForm = {
  schema: Fields,
  fields: Fields,
  files: {
    page: { role: 'page', isRepeatable: true },
    'page[]': { role: 'page', isRepeatable: true },
    cover: { role: 'cover', isRepeatable: false },
  },
} as const;

/** Accepts a form or JSON. Replies with the fields and the checksums of the files. */
export const echoForm = createOperation({
  id: 'echoForm',
  summary: 'Say what came',
  protection: 'read',
  request: { form: bookForm, body: closedObject({ title: v.string() }) },
  reply: { status: 200, description: 'What came.' },
  errors: [],
  handle: ({ form, body }) =>
    ok(
      form
        ? {
            ...form.fields,
            page: form.files.page.map(sha256),
            cover: form.files.cover.map(sha256),
          }
        : { json: body?.title },
    ),
});

/** Accepts only a form. Passes its pages to `services.keep`. */
export const keepPages = createOperation<PageServices, { form: typeof bookForm }, object>({
  id: 'keepPages',
  summary: 'Keep the pages',
  protection: 'read',
  request: { form: bookForm },
  reply: { status: 200, description: 'They are kept.' },
  errors: [],
  handle({ form, services }) {
    services.keep(form.files.page);
    return ok({});
  },
});

interface PageServices {
  keep(pages: readonly Buffer[]): void;
}

/** Sends `echoForm` a body in these chunks. There is no Content-Length unless `headers` contain it. */
export async function streamForm(
  body: Iterable<Buffer> | Readable,
  headers: Readonly<Record<string, string>> = {},
  settings: HttpSettings = openHttpSettings(),
): Promise<{ status: number; json: unknown }> {
  const head = toEvent({ method: 'POST', headers: { 'content-type': formType(), ...headers } });
  const event = { ...head, body: body instanceof Readable ? body : Readable.from(body) };
  const signal = new AbortController().signal;
  const reply = await echoForm(event, {
    services: {},
    settings,
    signal: () => signal,
    onReplied: () => {},
  });
  return { status: reply.statusCode, json: JSON.parse(String(reply.body)) };
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
