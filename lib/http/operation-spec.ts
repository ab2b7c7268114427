import type * as v from 'valibot';
import type { ErrorCode } from '../errors/codes.ts';

export type Schema = v.GenericSchema;
export type ObjectSchema = Schema & { readonly entries: v.ObjectEntries };

/**
 * `public`: anyone. `bearer`: browser guard and token. `by_path`: as everything else at that path, for answers that no
 * route gives.
 */
export type Protection = 'public' | 'bearer' | 'by_path';

/** A multipart form. */
export interface FormSpec {
  /** All of it, for documents. */
  readonly schema: Schema;
  /** Its text parts. An empty one counts as absent, unless the field has to be there. */
  readonly fields: ObjectSchema;
  /** Its file parts by their names. */
  readonly files: Readonly<Record<string, FormFile>>;
}

export interface FormFile {
  /** Names that share a role share one list. */
  readonly role: string;
  readonly isRepeatable: boolean;
}

export interface RequestSpec {
  readonly path?: Schema;
  readonly query?: Schema;
  /** Any query is taken and none is read, although a token is asked for: scrapers add parameters of their own. */
  readonly ignoresQuery?: boolean;
  /** The headers that mean something here, by their lower-case names. */
  readonly headers?: ObjectSchema;
  /** A JSON body. */
  readonly body?: Schema;
  /** A form instead of a JSON body, or where there is one too, either of them. */
  readonly form?: FormSpec;
}

export interface ReplySpec {
  readonly status: number;
  readonly description: string;
  /** A JSON answer. */
  readonly body?: Schema;
  /** The JSON may hold `Uint8Array`s where the schema says base64 text. */
  readonly holdsBytes?: boolean;
  /** A stream of events: what the data of one is. */
  readonly events?: Schema;
  /** An answer that is no JSON. */
  readonly mediaTypes?: readonly string[];
  /** Header names and what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further answers that are no errors, such as 304. */
  readonly also?: readonly {
    readonly status: number;
    readonly description: string;
    readonly body?: Schema;
    readonly mediaTypes?: readonly string[];
  }[];
}

/** What one operation takes and gives; the route table adds where it stands. */
export interface OperationSpec {
  /** `operationId`, and the name of the handler's file. */
  readonly id: string;
  readonly summary: string;
  readonly protection: Protection;
  readonly request: RequestSpec;
  readonly reply: ReplySpec;
  /** What it can answer beyond what its protection and its shapes imply. */
  readonly errors: readonly ErrorCode[];
}
