import type { CallInFlight, Part } from '../call-in-flight.ts';

/** A way to reply to a call, or to fail. */
export interface Behaviour<Name extends string = string> {
  readonly name: Name;
  /** Description for the printed list. */
  readonly about: string;
  readonly run: (inFlight: CallInFlight) => Promise<void>;
}

export function behaviour<const Name extends string>(
  name: Name,
  about: string,
  run: Behaviour['run'],
): Behaviour<Name> {
  return { name, about, run };
}

/** Sends a complete reply with these parts. `changes` replace its members. */
export function replyOf(
  inFlight: CallInFlight,
  parts: readonly Part[],
  changes: Readonly<Record<string, unknown>> = {},
) {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: inFlight.usage(),
    modelVersion: 'emulated',
    responseId: inFlight.responseId,
    ...changes,
  };
}

/** The usual reply: the requested image. */
export async function imageReply(inFlight: CallInFlight) {
  return replyOf(inFlight, [await inFlight.imagePart()]);
}
