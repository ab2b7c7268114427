import type { Base64Slots } from './base64-slots.ts';

/** The encoding of events. Every variant is valid (HTML standard, 9.2.5). */
export interface Framing {
  readonly lineEnd: '\n' | '\r\n' | '\r';
  readonly hasEventLines: boolean;
  readonly hasSpace: boolean;
  /** True if the JSON of an event is spread over several `data:` lines. */
  readonly hasManyDataLines: boolean;
  readonly beginsWithBom: boolean;
  readonly endsWithDone: boolean;
  /** Text of the comments between events. */
  readonly commentText: string;
}

export const PLAIN_FRAMING: Framing = {
  lineEnd: '\n',
  hasEventLines: true,
  hasSpace: true,
  hasManyDataLines: false,
  beginsWithBom: false,
  endsWithDone: false,
  commentText: 'keep-alive',
};

/** Returns the bytes of an event in parts, with the marks of `slots` replaced. */
export function framed(
  event: { readonly type: string },
  { lineEnd, hasEventLines, hasSpace, hasManyDataLines }: Framing,
  slots: Base64Slots,
): Buffer[] {
  const field = `data:${hasSpace ? ' ' : ''}`;
  const head = hasEventLines ? `event:${hasSpace ? ' ' : ''}${event.type}${lineEnd}` : '';
  const json = hasManyDataLines ? JSON.stringify(event, null, 1) : JSON.stringify(event);
  const lines = json.split('\n').join(`${lineEnd}${field}`);
  return slots.fill(`${head}${field}${lines}${lineEnd}${lineEnd}`);
}

export function comment(text: string, { lineEnd }: Framing): Buffer {
  return Buffer.from(`: ${text}${lineEnd}${lineEnd}`);
}
