export interface TextEvent {
  readonly name: string;
  readonly id?: string;
  // Each test knows the shape of its events; the checker checks them against the document.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly data: any;
}

export interface EventText {
  readonly events: readonly TextEvent[];
  readonly comments: readonly string[];
  /** What a reader would resume with: the last id, that of an event or one alone. */
  readonly lastId?: string;
  /** The received part of an incomplete event. */
  readonly rest: string;
}

const EVENT = /^(?:id: (\S+)\n)?event: (\S+)\ndata: (.*)$/;
const ID_ALONE = /^: open\nid: (\S+)$/;

/** Parses events of the contract: a name and one line of JSON each, with comments between. Throws for anything else. */
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
