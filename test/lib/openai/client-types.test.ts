import type * as openai7 from 'openai/resources/images';
import type { Model as Model7 } from 'openai/resources/models';
import type * as openai6 from 'openai-6/resources/images';
import type { Model as Model6 } from 'openai-6/resources/models';
import { describe, expectTypeOf, it } from 'vitest';
import type { Model } from '../../../lib/contract/openai/models.ts';
import type {
  EditStreamEvent,
  GenerationStreamEvent,
  ImagesResponse,
} from '../../../lib/contract/openai/response.ts';

/** A type with all members required, because the clients' types do not cover members that a provider may omit. */
type Known<T> = T extends readonly (infer Item)[]
  ? Known<Item>[]
  : T extends object
    ? { [K in keyof T]-?: Known<Exclude<T[K], undefined>> }
    : T;

type EventOf<Events extends { readonly type: string }, Type extends Events['type']> = Known<
  Omit<Extract<Events, { readonly type: Type }>, 'bridge_ext' | 'index'>
>;

/** A type without size and quality, of which the older client lists only a few values. */
type Older<T> = Omit<T, 'size' | 'quality'>;

/** A reply without `bridge_ext`, which the clients' types do not have. */
type Reply = Omit<Known<Omit<ImagesResponse, 'data'>>, 'bridge_ext'> & {
  data: { b64_json: string; revised_prompt: string }[];
};

describe('the replies of the OpenAI-compatible routes', () => {
  it('match the types of the newest client', () => {
    expectTypeOf<Reply>().toExtend<openai7.ImagesResponse>();
    expectTypeOf<Model>().toExtend<Model7>();
  });

  it('match the event types of the newest client', () => {
    expectTypeOf<
      EventOf<GenerationStreamEvent, 'image_generation.partial_image'>
    >().toExtend<openai7.ImageGenPartialImageEvent>();
    expectTypeOf<
      EventOf<GenerationStreamEvent, 'image_generation.completed'>
    >().toExtend<openai7.ImageGenCompletedEvent>();
    expectTypeOf<
      EventOf<EditStreamEvent, 'image_edit.partial_image'>
    >().toExtend<openai7.ImageEditPartialImageEvent>();
    expectTypeOf<
      EventOf<EditStreamEvent, 'image_edit.completed'>
    >().toExtend<openai7.ImageEditCompletedEvent>();
  });

  it('match the types of the previous client', () => {
    expectTypeOf<Older<Reply>>().toExtend<Older<openai6.ImagesResponse>>();
    expectTypeOf<Model>().toExtend<Model6>();
    expectTypeOf<Older<EventOf<GenerationStreamEvent, 'image_generation.completed'>>>().toExtend<
      Older<openai6.ImageGenCompletedEvent>
    >();
    expectTypeOf<Older<EventOf<EditStreamEvent, 'image_edit.completed'>>>().toExtend<
      Older<openai6.ImageEditCompletedEvent>
    >();
  });
});
