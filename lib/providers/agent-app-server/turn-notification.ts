import * as v from 'valibot';
import { optionalMember, Text } from '../backend/reply-members.ts';
import type { Notification } from './rpc-connection.ts';

const Item = v.object({
  type: v.string(),
  id: Text,
  status: Text,
  result: Text,
  revisedPrompt: Text,
  failure: optionalMember(v.object({ type: v.string(), resetsAt: optionalMember(v.number()) })),
});
export type TurnItem = v.InferOutput<typeof Item>;

const TurnError = v.object({ message: Text, codexErrorInfo: v.optional(v.unknown()) });
export type TurnError = v.InferOutput<typeof TurnError>;

const OfTurn = { turnId: Text };

const ItemParams = v.object({ ...OfTurn, item: Item });

const StartParams = v.object({ turn: v.object({ id: Text }) });

const TurnParams = v.object({
  turn: v.object({
    id: Text,
    status: v.string(),
    error: optionalMember(TurnError),
  }),
});

const RawItemParams = v.object({
  ...OfTurn,
  item: v.object({ type: v.string(), call_id: Text, output: Text }),
});

/** A notification that affects the turn of its thread. */
export type TurnNotification = { readonly turnId?: string | null | undefined } & (
  | { readonly type: 'turn_started' }
  | { readonly type: 'item_started' | 'item_completed'; readonly item: TurnItem }
  | { readonly type: 'tool_output'; readonly callId: string; readonly output: string }
  | {
      readonly type: 'turn_completed';
      readonly status: string;
      readonly error: TurnError | undefined;
    }
);

/** Parses a notification. Returns undefined if it is not used or does not have the form of its method. */
export function parseTurnNotification({
  method,
  params,
}: Pick<Notification, 'method' | 'params'>): TurnNotification | undefined {
  switch (method) {
    case 'turn/started': {
      const parsed = v.safeParse(StartParams, params);
      return parsed.success ? { type: 'turn_started', turnId: parsed.output.turn.id } : undefined;
    }
    case 'item/started':
    case 'item/completed': {
      const parsed = v.safeParse(ItemParams, params);
      if (!parsed.success) return undefined;
      const type = method === 'item/started' ? 'item_started' : 'item_completed';
      return { type, ...parsed.output };
    }
    case 'rawResponseItem/completed': {
      const parsed = v.safeParse(RawItemParams, params);
      if (!parsed.success) return undefined;
      const { turnId, item } = parsed.output;
      const { call_id: callId, output } = item;
      return callId && output ? { type: 'tool_output', turnId, callId, output } : undefined;
    }
    case 'turn/completed': {
      const parsed = v.safeParse(TurnParams, params);
      if (!parsed.success) return undefined;
      const { id: turnId, status, error } = parsed.output.turn;
      return { type: 'turn_completed', turnId, status, error: error ?? undefined };
    }
    default:
      return undefined;
  }
}
