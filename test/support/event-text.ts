export interface TextEvent {
  readonly name: string;
  readonly id?: string;
  // Each test knows the shape of its events. The checker compares them with the OpenAPI document.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly data: any;
}

export interface EventText {
  readonly events: readonly TextEvent[];
  readonly comments: readonly string[];
  /** Id with which a reader would resume: the last id, whether on an event or alone. */
  readonly lastId?: string;
  /** Received part of an incomplete event. */
  readonly rest: string;
}

const EVENT = /^(?:id: (\S+)\n)?event: (\S+)\ndata: (.*)$/;
const ID_ALONE = /^: open\nid: (\S+)$/;

/** Parses events: a name and one line of JSON each, with comments between them. Throws for any other text. */
export function parseEventText(text: string): EventText {
  const blocks = text.split('\n\n');
  const rest = blocks.pop() ?? '';
  const events: TextEvent[] = [];
  const comments: string[] = [];
  let lastId: string | undefined;
  for (const block of blocks) {
    const [, id, name, data] = EVENT.exec(block) ?? [];
    const [, idAlone] = ID_ALONE.exec(block) ?? [];
    lastId = id ?? idAlone ?? lastId;
    if (name !== undefined && data !== undefined) {
      events.push({ name, data: JSON.parse(data), ...(id === undefined ? {} : { id }) });
    } else if (idAlone !== undefined) comments.push('open');
    else if (/^: \S+$/.test(block)) comments.push(block.slice(2));
    else throw new Error(`not an event of the contract: ${block.slice(0, 200)}`);
  }
  return { events, comments, rest, ...(lastId === undefined ? {} : { lastId }) };
}
