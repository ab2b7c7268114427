import type {
  Response,
  ResponseImageGenCallPartialImageEvent,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';

/** The backend has more codes than are published, and members beside them. */
export interface WireError {
  readonly code: string | null;
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly resets_in_seconds?: number;
  readonly moderation_stage?: string;
  readonly moderation_categories?: readonly string[];
}

interface TokenCounts {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly image_tokens: number; readonly text_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly image_tokens: number; readonly text_tokens: number };
  readonly total_tokens: number;
}

/** The published response as it is on the wire: `output_text` is the client library's own addition. */
export type WireResponse = Omit<Response, 'output_text' | 'error' | 'usage'> & {
  readonly error: WireError | null;
  readonly usage: ResponseUsage | null;
  readonly tool_usage?: { readonly image_gen: TokenCounts };
};

type OnTheWire<Event> = Event extends { response: Response }
  ? Omit<Event, 'response'> & { response: WireResponse }
  : Event;

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;

/** Every published event; the stream numbers them. */
export type WireEvent = Unnumbered<OnTheWire<ResponseStreamEvent>>;

/** What the backend tells about a picture beside the published members. */
export interface PictureNotes {
  readonly action?: 'generate' | 'edit';
  readonly background?: string;
  readonly output_format?: string;
  readonly quality?: string;
  readonly size?: string;
  readonly revised_prompt?: string;
}

export interface ImageCallItem extends ResponseOutputItem.ImageGenerationCall, PictureNotes {}

export interface PartialImageEvent
  extends Omit<ResponseImageGenCallPartialImageEvent, 'sequence_number'>,
    PictureNotes {}

/** Events that no published type knows: a client has to pass over them, but for the nested error. */
export type UnpublishedEvent =
  | { readonly type: 'codex.rate_limits'; readonly rate_limits: Readonly<Record<string, unknown>> }
  | { readonly type: 'keepalive' }
  | { readonly type: 'error'; readonly error: WireError };
