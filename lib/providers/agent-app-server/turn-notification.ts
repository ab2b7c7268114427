import * as v from 'valibot';
import { optionalMember, Text } from '../backend/reply-members.ts';

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

const ItemParams = v.object({ turnId: Text, item: Item });
const RawItem = v.object({ type: v.string(), call_id: Text, output: Text });
const EndedTurn = v.object({ id: Text, status: v.string(), error: optionalMember(TurnError) });

/** A notification that affects the turn of its thread. Other notifications and members are not used. */
export const TurnNotification = v.variant('method', [
  v.object({
    method: v.literal('turn/started'),
    params: v.object({ turn: v.object({ id: Text }) }),
  }),
  v.object({ method: v.literal('item/started'), params: ItemParams }),
  v.object({ method: v.literal('item/completed'), params: ItemParams }),
  v.object({
    method: v.literal('rawResponseItem/completed'),
    params: v.object({ turnId: Text, item: RawItem }),
  }),
  v.object({
    method: v.literal('turn/completed'),
    params: v.object({ turn: EndedTurn }),
  }),
]);
