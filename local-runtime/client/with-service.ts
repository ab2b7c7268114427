import type { CommandIo } from '../command-io.ts';
import type { ConfigurationOptions } from '../command-table/configuration-options.ts';
import type { ServiceOption } from '../command-table/service-options.ts';
import { printable } from '../terminal/printable.ts';
import { createService, type Service } from './service.ts';
import { findService } from './service-address.ts';
import { ServiceError } from './service-error.ts';

/** Runs `work` with the service that is meant, and reports what it throws. Resolves to the exit code. */
export async function withService(
  {
    options,
    io,
  }: { readonly options: ServiceOption & Partial<ConfigurationOptions>; readonly io: CommandIo },
  work: (service: Service) => Promise<number>,
): Promise<number> {
  const found = await findService(options.url, io, options);
  if (!found.ok) {
    for (const problem of found.problems) io.stderr(`image-bridge: ${problem}\n`);
    return 2;
  }
  try {
    return await work(createService(found.address));
  } catch (error) {
    if (error instanceof ServiceError) return reportServiceError(error, io);
    // Replies are taken as the contract describes them. One that is not so shows when it is used.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const reason = `this version cannot read what ${found.address.url} replies (${error.message})`;
    return reportServiceError(new ServiceError(reason, 4), io);
  }
}

/** Prints the error and what to do. Returns its exit code. */
export function reportServiceError(
  { message, advice, exitCode }: ServiceError,
  io: CommandIo,
): number {
  io.stderr(`image-bridge: ${printable(message)}\n`);
  for (const line of advice) io.stderr(`→ ${printable(line)}\n`);
  return exitCode;
}
