import type { ImageJob, JobPage } from '../../../lib/contract/resources/job.ts';
import type {
  JobBatchResult,
  JobBatchUndoResult,
} from '../../../lib/contract/resources/job-batch.ts';
import { type Service, toTarget } from '../../client/service.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { CommandIo } from '../command-io.ts';
import type { OptionValues } from '../command-table/command.ts';
import type { BATCH_FILTERS } from '../command-table/options.ts';
import { confirm } from '../confirm.ts';
import { printJson } from '../print.ts';
import { withService } from '../with-service.ts';
import { printJob, type ServiceCall, show } from './requests.ts';

type CancelOptions = ServiceCall['options'] &
  OptionValues<typeof BATCH_FILTERS> & { readonly yes: boolean };

/** Cancels one job, or the jobs that the options select. Resolves with the exit code: 1 if the user declines. */
export async function runJobsCancel(
  call: ServiceCall<{ readonly id: string | undefined }, CancelOptions>,
): Promise<number> {
  const { args, options, io } = call;
  const { json, url, yes, status, query, after, before, ...filters } = options;
  const selected = { ...filters, q: query, created_after: after, created_before: before };
  const isSelected = Object.values({ ...selected, status }).some((value) => value !== undefined);
  if (isSelected === (args.id !== undefined)) {
    io.stderr('image-bridge: name either the id of a job, or options that select jobs\n');
    return 2;
  }
  return withService(call, async (service) => {
    if (args.id !== undefined) {
      const target = `/v1/jobs/${encodeURIComponent(args.id)}`;
      show(await service.json<ImageJob>(target, { method: 'DELETE' }), printJob, call);
      return 0;
    }
    // Running jobs are cancelled only on request, because their images may have been paid for.
    const filter = { ...selected, status: status ?? ('queued' as const) };
    return cancelMatching(service, filter, call);
  });
}

interface Filter extends Readonly<Record<string, string | number | undefined>> {
  readonly status: 'queued' | 'running';
}

async function cancelMatching(
  service: Service,
  filter: Filter,
  { options, io }: ServiceCall<unknown, CancelOptions>,
): Promise<number> {
  const count = await countMatching(service, filter);
  if (count === 0) {
    if (options.json) printJson({ done: 0, skipped: [] }, io);
    else io.stdout('No job matches.\n');
    return 0;
  }
  const jobs = `${count} ${filter.status} ${count === 1 ? 'job' : 'jobs'}`;
  const isAgreed =
    options.yes || (io.isTerminal.stdin && (await confirm(`Cancel ${jobs}? [y/N] `, false, io)));
  if (!isAgreed) {
    io.stderr(`Nothing was changed. Use --yes to cancel ${jobs} without asking.\n`);
    return 1;
  }
  const result = await service.json<JobBatchResult>('/v1/jobs/batch', {
    method: 'POST',
    body: {
      action: 'cancel',
      filter,
      // The service changes nothing if more jobs match than the user was asked about.
      expected_count: count,
      ...(filter.status === 'running' ? { running: true } : {}),
    },
  });
  if (options.json) printJson(result, io);
  else printChanges('cancelled', result, io);
  return 0;
}

/** Resolves with the number of matching jobs. Throws if there are more than one request can change. */
async function countMatching(service: Service, filter: Filter): Promise<number> {
  const { target } = toTarget('GET /v1/jobs', {}, { ...filter, limit: 1, total: true });
  const { total } = await service.json<JobPage>(target);
  if (total?.at_least === false) return total.count;
  const reason = total
    ? `more than ${total.count} jobs match; select fewer, for example with --label`
    : 'the service does not count jobs';
  throw new ServiceError(reason, 1);
}

/** Undoes a change of many jobs. Resolves with the exit code. */
export function runJobsUndo(call: ServiceCall<{ readonly id: string }>): Promise<number> {
  const { args, options, io } = call;
  return withService(call, async (service) => {
    const target = `/v1/jobs/batch/${encodeURIComponent(args.id)}/undo`;
    const result = await service.json<JobBatchUndoResult>(target, { method: 'POST' });
    if (options.json) printJson(result, io);
    else printChanges('restored', result, io);
    return 0;
  });
}

/** Prints the numbers of changed and skipped jobs, and the command that undoes the change. */
function printChanges(
  verb: string,
  { done, skipped, undo }: JobBatchResult,
  io: Pick<CommandIo, 'stdout'>,
): void {
  io.stdout(`${done} ${verb}\n`);
  for (const { reason, count } of skipped) {
    io.stdout(`${count} skipped: ${reason.replaceAll('_', ' ')}\n`);
  }
  if (undo) io.stdout(`To undo: image-bridge jobs undo ${undo.id}\n`);
}
