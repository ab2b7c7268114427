import { invalidRequest } from '../../contract/schema/issues.ts';
import type { FormSpec } from '../operation-spec.ts';
import { parsePart } from '../parse-request.ts';
import { callOf, type Middleware } from '../stack-request.ts';
import { boundaryOf } from './media-types.ts';
import { createPartReader } from './multipart-parts.ts';
import { readBody } from './read-body.ts';
import { sortForm } from './sort-form.ts';

/** A parsed form. */
export interface Form<Fields, Role extends string> {
  readonly fields: Fields;
  /** The unchecked bytes of the files by role, in the order of arrival. */
  readonly files: Readonly<Record<Role, readonly Buffer[]>>;
}

/**
 * Reads and parses a form if the body is a form. Throws `malformed_request`, `body_too_large`, `unsupported_media_type`, and
 * `invalid_request` with all issues of the parts.
 */
export function formBody(form: FormSpec): Middleware {
  return {
    async before({ event, context }) {
      const boundary = boundaryOf(event.headers['content-type']);
      if (boundary === undefined) return;
      const reader = createPartReader(boundary);
      const options = { copies: 1, onProgress: reader.read };
      const parts = reader.finish((await readBody({ event, context }, options)).bytes);
      const sorted = sortForm(form, parts);
      const issues = [...sorted.issues];
      const fields = parsePart(form.fields, sorted.fields, context.settings.limits, issues);
      if (issues.length > 0) throw invalidRequest(issues);
      callOf({ context }).form = { fields, files: sorted.files };
      // Releases the stream.
      event.body = undefined;
    },
  };
}
