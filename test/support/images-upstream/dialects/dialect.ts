import type { IncomingHttpHeaders } from 'node:http';
import type { Ids } from '../../../../lib/platform/ids.ts';
import type { Framing } from '../../upstream/framing.ts';
import type { Fields } from '../request/fields.ts';
import type { ImageCall } from '../request/image-call.ts';

/** An error in the terms of the OpenAI API. Every dialect encodes it in its own form. */
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
  /** Inner error of Azure. */
  readonly innerCode?: string;
  /** Details of OpenRouter. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The credentials that a request must present. */
export interface Account {
  /** Key. Undefined for a server without keys. */
  readonly key: string | undefined;
  readonly organization: string | undefined;
  readonly project: string | undefined;
}

/** The header of a request. */
export interface Head {
  readonly headers: IncomingHttpHeaders;
  /** Path and query. */
  readonly url: URL;
}

/** The charge for the finished images of one call, whether the client received them or not. */
export interface Bill {
  /** Undefined if the dialect does not name its calls. */
  readonly id: string | undefined;
  readonly images: number;
  /** In units of 10^-10 USD. */
  readonly amount: bigint;
}

/** The behaviour of one kind of server. */
export interface Dialect {
  readonly about: string;
  /** End of its base URL. */
  readonly basePath: string;
  /** Routes by path. A segment `*` matches any one segment. */
  readonly routes: Readonly<Record<string, ImageCall['operation']>>;
  /** Models of the server. */
  readonly models: readonly string[];
  readonly hasKey: boolean;
  /** True if edits are JSON. Otherwise edits are forms. */
  readonly hasJsonEdits?: true;
  /** Price of a finished image, in units of 10^-10 USD. */
  readonly price?: bigint;
  /** Changes to the form of event streams. */
  readonly framing?: Partial<Framing>;
  /** JSON that the server returns without a key, by path. */
  readonly documents?: Readonly<Record<string, unknown>>;
  /** The charges of calls, one for each request with an `id`, at a path of the API. */
  readonly billing?: { readonly path: string; reply(bill: Bill): unknown };
  /** Checks the credentials. Throws `Refusal` if they are invalid. */
  checkHead(head: Head, account: Account): void;
  /** True if a call for a stream is drawn and then fails with a 500. */
  readonly failsStreams?: true;
  /** Parses a call. Throws `Refusal` if it is invalid. */
  toCall(operation: ImageCall['operation'], fields: Fields, head: Head): Promise<ImageCall>;
  toErrorBody(failure: Failure): unknown;
  /** Returns the members of a reply beside `created` and `data`. */
  replyMembers(call: ImageCall, ids: Pick<Ids, 'newUuid'>): Readonly<Record<string, unknown>>;
  /** Returns the usage in the last event of one image. If absent, the usage of OpenAI. */
  eventUsage?(call: ImageCall): unknown;
  /** Returns the members of an item of `data` beside its image. */
  itemMembers(call: ImageCall): Readonly<Record<string, unknown>>;
  replyHeaders(ids: Pick<Ids, 'newUuid'>): Readonly<Record<string, string>>;
}
