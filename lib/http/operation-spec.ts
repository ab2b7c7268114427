import type * as v from 'valibot';
import type { Permission } from '../contract/request/caller.ts';
import type { ErrorCode } from '../errors/codes.ts';

export type Schema = v.GenericSchema;
export type ObjectSchema = Schema & { readonly entries: v.ObjectEntries };

/**
 * `public`: anyone. A permission: browser guard, and a token that has the permission. `by_path`: as the other paths below
 * the same prefix, for requests without a route; any token will do.
 */
export type Protection = 'public' | 'by_path' | Permission;

/** A multipart form. */
export interface FormSpec {
  /** Fields and files, for documents. */
  readonly schema: Schema;
  /** Its text parts. An empty one counts as absent unless the field is required. */
  readonly fields: ObjectSchema;
  /** Its file parts by their names. */
  readonly files: Readonly<Record<string, FormFile>>;
}

export interface FormFile {
  /** Names with the same role share one list. */
  readonly role: string;
  readonly isRepeatable: boolean;
}

export interface RequestSpec {
  readonly path?: Schema;
  readonly query?: Schema;
  /** The query is ignored although a token is required: scrapers add parameters of their own. */
  readonly ignoresQuery?: boolean;
  /** The headers that the operation reads, by their lower-case names. */
  readonly headers?: ObjectSchema;
  /** A JSON body. */
  readonly body?: Schema;
  /** A form. With `body` too, a request has one of them. */
  readonly form?: FormSpec;
}

export interface ReplySpec {
  readonly status: number;
  readonly description: string;
  /** A JSON reply. */
  readonly body?: Schema;
  /** The value may have `Uint8Array`s where the schema has base64 text. */
  readonly holdsBytes?: boolean;
  /** A stream of events: the schema of their data. */
  readonly events?: Schema;
  /** A reply that is not JSON. */
  readonly mediaTypes?: readonly string[];
  /** Header names and their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further replies that are no errors of the bridge, such as 304. */
  readonly also?: readonly {
    readonly status: number;
    readonly description: string;
    readonly body?: Schema;
    readonly mediaTypes?: readonly string[];
  }[];
}

/** The interface of one operation. The route table adds method and path. */
export interface OperationSpec {
  /** `operationId`, and the name of the handler's file. */
  readonly id: string;
  readonly summary: string;
  readonly protection: Protection;
  readonly request: RequestSpec;
  readonly reply: ReplySpec;
  /** Errors beyond those that its protection and its schemas imply. */
  readonly errors: readonly ErrorCode[];
}

/** The permission that an operation needs; undefined where none is needed. */
export function permissionOf({ protection }: OperationSpec): Permission | undefined {
  return protection === 'public' || protection === 'by_path' ? undefined : protection;
}
