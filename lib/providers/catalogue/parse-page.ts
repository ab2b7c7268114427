import { parseJson } from '../../platform/parse-json.ts';
import type { Stoppable } from '../../platform/thread-pool.ts';
import { parseOpenrouterPage } from '../openai-images/dialects/openrouter-models.ts';
import { parseFalPage } from '../task/catalogue/fal-page.ts';
import { parseReplicatePage } from '../task/catalogue/replicate-page.ts';
import type { CatalogueKind, CataloguePage, PageRequest, ParsePage } from './catalogue-page.ts';

/** One reply of a service, to be parsed in a thread. */
export interface PageTask extends PageRequest {
  readonly kind: CatalogueKind;
  readonly bytes: ArrayBuffer;
}

/** The result of a thread. `page` is undefined if the reply is not JSON or does not have the form of the service. */
export interface ParsedPage {
  readonly page: CataloguePage | undefined;
}

const PARSERS: Readonly<Record<CatalogueKind, ParsePage>> = {
  fal: parseFalPage,
  replicate: parseReplicatePage,
  openrouter: parseOpenrouterPage,
};

/** Parses a reply in a thread, because the replies of one refresh may have many megabytes. */
export function parsePage({ kind, bytes, ...request }: Stoppable<PageTask>): ParsedPage {
  const reply = parseJson(Buffer.from(bytes).toString());
  return { page: reply === undefined ? undefined : PARSERS[kind](reply, request) };
}
