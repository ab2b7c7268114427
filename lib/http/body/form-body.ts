import * as v from 'valibot';
import { fieldName, invalidRequest, type RequestIssue } from '../../contract/schema/issues.ts';
import { FORM_LIMITS } from '../../contract/schema/open-object.ts';
import type { FormSpec } from '../operation-spec.ts';
import { parsePart } from '../parse-request.ts';
import { callOf, type Middleware } from '../stack.ts';
import { checkJsonStructure } from './json-structure.ts';
import { boundaryOf, toText } from './media-types.ts';
import { createPartReader, type FormPart, type PartHead } from './multipart.ts';
import { readBody } from './read-body.ts';

export interface Form<Fields, Role extends string> {
  readonly fields: Fields;
  /** The unchecked bytes of the files by role, in the order of arrival. */
  readonly files: Readonly<Record<Role, readonly Buffer[]>>;
}

/** Parses the body if it is a form. Throws `malformed_request`, `body_too_large`, `unsupported_media_type`, `invalid_request`. */
export function formBody(form: FormSpec): Middleware {
  return {
    async before({ event, context }) {
      const boundary = boundaryOf(event.headers['content-type']);
      if (boundary === undefined) return;
      const reader = createPartReader(boundary);
      const options = { copies: 1, onProgress: reader.read };
      const parts = reader.finish((await readBody({ event, context }, options)).bytes);
      const { texts, files, issues } = sortForm(form, parts);
      const fields = parsePart(form.fields, texts, context.settings.limits, issues);
      if (issues.length > 0) throw invalidRequest(issues);
      callOf({ context }).form = { fields, files };
      // Allows the stream to be garbage-collected.
      event.body = undefined;
    },
  };
}

/**
 * Assigns each part to its field or role. Returns the texts by field, the files by role, and the issues of parts that cannot be
 * assigned. The schema checks the texts. Throws `malformed_request` for text that is not UTF-8 and for JSON that exceeds the
 * limits of a JSON body.
 */
function sortForm(form: FormSpec, parts: readonly FormPart[]) {
  const texts = new Map<string, string | undefined>();
  const files = new Map(Object.values(form.files).map(({ role }) => [role, [] as Buffer[]]));
  const issues: RequestIssue[] = [];
  for (const { head, content } of parts) {
    // A browser sends a file without a name and content if no file was chosen.
    if (head.isNameless && content.length === 0) continue;
    const { name } = head;
    const role = own(form.files, name)?.role ?? '';
    const isTaken = head.isFile ? files.get(role)?.length !== 0 : texts.has(name);
    const problem = problemOf(form, head, isTaken);
    if (problem) issues.push({ field: fieldName(name), ...problem });
    else if (head.isFile) files.get(role)?.push(content);
    else texts.set(name, textOf(own(form.fields.entries, name), content));
  }
  const given = [...texts].filter(([, text]) => text !== undefined);
  return { texts: Object.fromEntries(given), files: Object.fromEntries(files), issues };
}

function problemOf(
  form: FormSpec,
  { name, isFile }: PartHead,
  isTaken: boolean,
): Pick<RequestIssue, 'code' | 'message'> | undefined {
  if (Buffer.byteLength(name) > FORM_LIMITS.maxNameBytes) {
    const message = `must have a name of at most ${FORM_LIMITS.maxNameBytes} bytes`;
    return { code: 'invalid_length', message };
  }
  const file = own(form.files, name);
  if (file && !isFile) return { code: 'invalid_type', message: 'must be a file' };
  if (isFile && !file) {
    return own(form.fields.entries, name)
      ? { code: 'invalid_type', message: 'must be text' }
      : { code: 'unknown_field', message: 'is not a known file' };
  }
  const mayRepeat = file?.isRepeatable ?? false;
  return isTaken && !mayRepeat ? { code: 'repeated', message: 'must be given once' } : undefined;
}

/** Returns the text of a part, or undefined if the part is empty and the field is optional. */
function textOf(entry: v.ObjectEntries[string] | undefined, content: Buffer): string | undefined {
  const isRequired = entry !== undefined && entry.type !== 'optional';
  if (content.length === 0 && !isRequired) return undefined;
  // As for a JSON body, the structure is checked before the text is parsed.
  if (entry && v.getMetadata(entry)['contentMediaType'] === 'application/json') {
    checkJsonStructure(content);
  }
  return toText(content, 'a text part');
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
