import type { IncomingHttpHeaders } from 'node:http';
import { checkJson } from '../../responses-upstream/check-head.ts';
import { Refusal } from '../../upstream/refusal.ts';

/** A file of a form. */
export interface FilePart {
  readonly name: string;
  readonly filename: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** The members of a JSON body, or the parts of a form in their order. */
export interface Fields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: readonly FilePart[];
}

const NUMBERS = ['n', 'output_compression', 'partial_images', 'seed'];

/** Parses a JSON object. Throws `Refusal` for any other body. */
export function readJson(headers: IncomingHttpHeaders, body: Buffer): Fields {
  checkJson(headers);
  try {
    const values: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) {
      return { values: Object.fromEntries(Object.entries(values)), files: [] };
    }
  } catch {
    // In the same way as for any body that is not an object.
  }
  throw new Refusal({ status: 400, code: 'invalid_json', message: 'the body is not JSON' });
}

/** Parses a form. A text may occur once. Numbers and booleans are converted. Throws `Refusal` if the form is invalid. */
export async function readForm(headers: IncomingHttpHeaders, body: Buffer): Promise<Fields> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data; boundary=')) {
    throw new Refusal({
      status: 400,
      code: 'unsupported_content_type',
      message: 'the body is not a form',
      param: 'content-type',
    });
  }
  const form = await parsedForm(type, body);
  const values = new Map<string, unknown>();
  const files: FilePart[] = [];
  for (const [name, value] of form) {
    if (typeof value !== 'string') {
      const bytes = Buffer.from(await value.arrayBuffer());
      files.push({ name, filename: value.name, type: value.type, bytes });
    } else if (values.has(name)) {
      throw new Refusal({
        status: 400,
        code: 'duplicate_parameter',
        message: 'a field is given twice',
        param: name,
      });
    } else values.set(name, converted(name, value));
  }
  return { values: Object.fromEntries(values), files };
}

async function parsedForm(type: string, body: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData();
  } catch {
    throw new Refusal({ status: 400, code: 'invalid_form', message: 'the form is malformed' });
  }
}

function converted(name: string, value: string): unknown {
  if (NUMBERS.includes(name) && /^\d{1,15}$/.test(value)) return Number(value);
  return name === 'stream' && /^(true|false)$/.test(value) ? value === 'true' : value;
}
