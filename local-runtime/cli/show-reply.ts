import type { Page } from '../../lib/contract/schema/page.ts';
import type { Service } from '../client/service.ts';
import type { CommandIo } from './command-io.ts';
import type { JsonOption, ServiceOption } from './command-table/options.ts';
import { printFields, printJson, printTable } from './print.ts';
import { withService } from './with-service.ts';

/** The options of a command that shows the reply of a service. */
export type ShowOptions = ServiceOption & JsonOption;

interface Printing {
  readonly options: JsonOption;
  readonly io: CommandIo;
}

type Print<T> = (reply: T, io: CommandIo) => void;

/**
 * Runs a command that sends a request to a service and prints the reply: as JSON with `--json`, with `print` without it.
 * Resolves with the exit code.
 */
export function showReply<T extends object>(
  call: Printing & { readonly options: ShowOptions },
  request: (service: Service) => Promise<T>,
  print?: Print<T>,
): Promise<number> {
  return withService(call, async (service) => {
    printReply(await request(service), call, print);
    return 0;
  });
}

/** Prints a reply: as JSON with `--json`, with `print` without it. */
export function printReply<T extends object>(
  reply: T,
  { options, io }: Printing,
  print: Print<T> = printFields,
): void {
  if (options.json) printJson(reply, io);
  else print(reply, io);
}

/** Creates a function that reads the first page at `path` and resolves with its items. */
export function itemsAt<T>(path: string) {
  return async (service: Service): Promise<readonly T[]> =>
    (await service.json<Page<T>>(path)).items;
}

/** Creates a function that prints items as a table. */
export function asTable<T>(
  headings: readonly string[],
  toRow: (item: T) => readonly string[],
): Print<readonly T[]> {
  return (items, io) => printTable(headings, items.map(toRow), io);
}
