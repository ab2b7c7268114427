import * as v from 'valibot';
import { Refusal } from '../upstream/refusal.ts';

const Form = v.strictObject({
  image: v.instance(File),
  subfolder: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]*$/)), ''),
  type: v.optional(v.picklist(['input', 'temp']), 'input'),
  overwrite: v.optional(v.picklist(['true', '1', 'false']), 'false'),
});

const SIGNATURES = ['\x89PNG\r\n\x1A\n', '\xFF\xD8\xFF', 'RIFF'];

/**
 * The images that workflows can load. The key is the name in a node, where " [temp]" marks an image in the folder for
 * temporary files.
 */
export function createInputFiles() {
  const files = new Map<string, Buffer>([['example.png', Buffer.alloc(0)]]);
  return {
    all: (): ReadonlyMap<string, Buffer> => files,

    /** Stores the image of an upload. Throws `Refusal` for a form that the server would not accept. */
    async take(body: Buffer, contentType: string) {
      const form = v.safeParse(Form, await parseForm(body, contentType));
      if (!form.success) throw refused(v.getDotPath(form.issues[0]) ?? '');
      const { image, subfolder, overwrite, type } = form.output;
      const bytes = Buffer.from(await image.arrayBuffer());
      const start = bytes.toString('latin1', 0, 8);
      const isImage = SIGNATURES.some((signature) => start.startsWith(signature));
      if (!isImage || /[/\\]/.test(image.name)) throw refused('image');
      const path = subfolder === '' ? image.name : `${subfolder}/${image.name}`;
      const named = type === 'temp' ? `${path} [temp]` : path;
      const isKept = files.has(named) && overwrite === 'false';
      if (!isKept) files.set(named, bytes);
      return { name: image.name, subfolder, type };
    },
  };
}

/** Reads every field once. Throws `Refusal` for an invalid form. */
async function parseForm(body: Buffer, contentType: string): Promise<Record<string, unknown>> {
  if (!/^multipart\/form-data; boundary=/.test(contentType)) throw refused('content-type');
  const response = new Response(body, { headers: { 'content-type': contentType } });
  const entries = await response.formData().then(
    (form) => [...form],
    () => {
      throw refused('');
    },
  );
  const fields = Object.fromEntries(entries);
  if (Object.keys(fields).length !== entries.length) throw refused('');
  return fields;
}

function refused(param: string): Refusal {
  return new Refusal({ status: 400, code: 'bad_form', message: 'the form is wrong', param });
}
