import type { Settings } from './settings.ts';

export interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The response to a request, and the action of the agent after the response was written. */
export type Reply =
  | { readonly result: unknown; readonly after?: () => void }
  | { readonly error: string; readonly after?: undefined };

export interface Wire {
  readonly settings: Settings;
  /** Writes an entry into the log. */
  note(entry: object): void;
  /** Writes a text without changes. */
  raw(text: string): void;
  /** Writes one message. */
  send(message: object): void;
  /** Sends a request to the client and resolves with its response. */
  ask(method: string, params: object): Promise<Request>;
}
