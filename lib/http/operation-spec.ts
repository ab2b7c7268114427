import type * as v from 'valibot';
import type { Permission } from '../contract/request/caller.ts';
import type { ErrorCode } from '../errors/codes.ts';

export type Schema = v.GenericSchema;
export type ObjectSchema = Schema & { readonly entries: v.ObjectEntries };

/**
 * The protection of an operation. `public` means no protection. A permission means the browser guard and a token with the
 * permission. `by_path`, used for requests without a route, means the browser guard and any valid token if the path begins like
 * the path of a protected operation.
 */
export type Protection = 'public' | 'by_path' | Permission;

export interface FormSpec {
  /** The schema of the whole form, used only to generate the API documents. */
  readonly schema: Schema;
  /** The schema of the text parts. An empty part counts as absent unless the field is required. */
  readonly fields: ObjectSchema;
  /** The file parts by name. */
  readonly files: Readonly<Record<string, FormFile>>;
}

export interface FormFile {
  /** Files with the same role form one list. */
  readonly role: string;
  readonly isRepeatable: boolean;
}

export interface RequestSpec {
  readonly path?: Schema;
  readonly query?: Schema;
  /** True if the query is ignored although a token is required, because scrapers add their own parameters. */
  readonly ignoresQuery?: boolean;
  /** The headers that the operation reads, by lowercase name. */
  readonly headers?: ObjectSchema;
  /** The schema of a JSON body. */
  readonly body?: Schema;
  /** A form. If `body` is also declared, a request contains either the JSON body or the form. */
  readonly form?: FormSpec;
}

export interface ReplySpec {
  readonly status: number;
  readonly description: string;
  /** The schema of a JSON reply. */
  readonly body?: Schema;
  /** True if the value may contain `ByteParts` where the schema has a base64 text. */
  readonly holdsBytes?: boolean;
  /** The schema of the event data if the reply is a stream of events. */
  readonly events?: Schema;
  /** The media types of a reply that is not JSON. */
  readonly mediaTypes?: readonly string[];
  /** The descriptions of reply headers by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional replies that are not errors, such as 304. */
  readonly also?: readonly {
    readonly status: number;
    readonly description: string;
    readonly body?: Schema;
    readonly mediaTypes?: readonly string[];
  }[];
}

/** The description of one operation. The route table adds the method and the path. */
export interface OperationSpec {
  /** The `operationId`, which is also the name of the handler file. */
  readonly id: string;
  readonly summary: string;
  readonly protection: Protection;
  readonly request: RequestSpec;
  readonly reply: ReplySpec;
  /** The errors in addition to those implied by the protection and the schemas. */
  readonly errors: readonly ErrorCode[];
}

/** Returns the permission that an operation requires, or undefined if it requires none. */
export function permissionOf({ protection }: OperationSpec): Permission | undefined {
  return protection === 'public' || protection === 'by_path' ? undefined : protection;
}
