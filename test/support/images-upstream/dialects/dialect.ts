import type { IncomingHttpHeaders } from 'node:http';
import type { Ids } from '../../../../lib/platform/ids.ts';
import type { Fields } from '../request/fields.ts';
import type { ImageCall } from '../request/image-call.ts';

/** A failure in the words of OpenAI's API; every dialect encodes it in its own form. */
export interface Failure {
  readonly status: number;
  readonly code?: string | null | undefined;
  readonly type?: string | undefined;
  readonly param?: string | undefined;
  readonly message: string;
  readonly moderation?: {
    readonly moderation_stage: string;
    readonly categories: readonly string[];
  };
  /** Azure's inner error. */
  readonly innerCode?: string;
}

/** What a request has to present. */
export interface Account {
  /** Undefined: a server without keys. */
  readonly key: string | undefined;
  readonly organization: string | undefined;
  readonly project: string | undefined;
}

/** The head of a request. */
export interface Head {
  readonly headers: IncomingHttpHeaders;
  /** Path and query. */
  readonly url: URL;
}

/** What one kind of server does. */
export interface Dialect {
  readonly about: string;
  /** What its base URL ends with. */
  readonly basePath: string;
  /** By path; a segment `*` is any one segment. */
  readonly routes: Readonly<Record<string, ImageCall['operation']>>;
  /** The models that it has. */
  readonly models: readonly string[];
  readonly hasKey: boolean;
  /** Throws `Refusal`. */
  checkHead(head: Head, account: Account): void;
  /** A call that asks for a stream is drawn, and then fails with a 500. */
  readonly failsStreams?: true;
  /** Throws `Refusal`. */
  toCall(operation: ImageCall['operation'], fields: Fields, head: Head): Promise<ImageCall>;
  toErrorBody(failure: Failure): unknown;
  /** The members of a reply beside `created` and `data`. */
  replyMembers(call: ImageCall, ids: Pick<Ids, 'newUuid'>): Readonly<Record<string, unknown>>;
  /** The members of an item of `data` beside its image. */
  itemMembers(call: ImageCall): Readonly<Record<string, unknown>>;
  replyHeaders(ids: Pick<Ids, 'newUuid'>): Readonly<Record<string, string>>;
}
