import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { handler as cropArtifact } from './artifacts/crop-artifact.ts';
import { handler as getArtifact } from './artifacts/get-artifact.ts';
import { handler as getArtifactCredentials } from './artifacts/get-artifact-credentials.ts';
import { handler as getArtifactManifest } from './artifacts/get-artifact-manifest.ts';
import { handler as getArtifactThumbnail } from './artifacts/get-artifact-thumbnail.ts';
import { handler as updateArtifact } from './artifacts/update-artifact.ts';
import { handler as getDashboard } from './dashboard/get-dashboard.ts';
import { handler as getDashboardAsset } from './dashboard/get-dashboard-asset.ts';
import { handler as getDashboardView } from './dashboard/get-dashboard-view.ts';
import { handler as getDiagnostics } from './diagnostics/get-diagnostics.ts';
import { handler as getLiveness } from './health/get-liveness.ts';
import { handler as getReadiness } from './health/get-readiness.ts';
import { handler as createImage } from './images/create-image.ts';
import { handler as planImage } from './images/plan-image.ts';
import { handler as planImageBatch } from './images/plan-image-batch.ts';
import { handler as streamImage } from './images/stream-image.ts';
import { handler as cancelJob } from './jobs/cancel-job.ts';
import { handler as changeJobs } from './jobs/change-jobs.ts';
import { handler as createJob } from './jobs/create-job.ts';
import { handler as getJob } from './jobs/get-job.ts';
import { handler as getJobFamily } from './jobs/get-job-family.ts';
import { handler as getJobInput } from './jobs/get-job-input.ts';
import { handler as getJobInputThumbnail } from './jobs/get-job-input-thumbnail.ts';
import { handler as getJobPartial } from './jobs/get-job-partial.ts';
import { handler as listDerivedJobs } from './jobs/list-derived-jobs.ts';
import { handler as listJobDays } from './jobs/list-job-days.ts';
import { handler as listJobLabels } from './jobs/list-job-labels.ts';
import { handler as listJobs } from './jobs/list-jobs.ts';
import { handler as listPrompts } from './jobs/list-prompts.ts';
import { handler as retryJob } from './jobs/retry-job.ts';
import { handler as streamJob } from './jobs/stream-job.ts';
import { handler as streamJobs } from './jobs/stream-jobs.ts';
import { handler as undoJobChanges } from './jobs/undo-job-changes.ts';
import { handler as updateJob } from './jobs/update-job.ts';
import { handler as callMcp } from './mcp/call-mcp.ts';
import { handler as endMcpSession } from './mcp/end-mcp-session.ts';
import { handler as openMcpStream } from './mcp/open-mcp-stream.ts';
import { handler as getMetrics } from './metrics/get-metrics.ts';
import { handler as createImageEdit } from './openai/create-image-edit.ts';
import { handler as createImageGeneration } from './openai/create-image-generation.ts';
import { handler as getModel } from './openai/get-model.ts';
import { handler as listModels } from './openai/list-models.ts';
import { handler as getApiDocument } from './openapi/get-api-document.ts';
import { handler as createPreset } from './presets/create-preset.ts';
import { handler as deletePreset } from './presets/delete-preset.ts';
import { handler as getPreset } from './presets/get-preset.ts';
import { handler as listPresets } from './presets/list-presets.ts';
import { handler as replacePreset } from './presets/replace-preset.ts';
import { handler as getProviderCapabilities } from './providers/get-provider-capabilities.ts';
import { handler as listProviders } from './providers/list-providers.ts';
import { handler as reconcileProvider } from './providers/reconcile-provider.ts';
import { handler as cancelQueueJob } from './queue/cancel-queue-job.ts';
import { handler as getOwnQueue } from './queue/get-own-queue.ts';
import { handler as getQueue } from './queue/get-queue.ts';
import { handler as listQueueJobs } from './queue/list-queue-jobs.ts';
import { handler as updateQueue } from './queue/update-queue.ts';
import { handler as deleteSession } from './sessions/delete-session.ts';
import { handler as getSession } from './sessions/get-session.ts';
import { handler as getUsage } from './usage/get-usage.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, with `{name}` for each path parameter. */
  readonly path: string;
  readonly tag:
    | 'Health'
    | 'Images'
    | 'OpenAI'
    | 'Jobs'
    | 'Providers'
    | 'Artifacts'
    | 'Presets'
    | 'Sessions'
    | 'Usage'
    | 'Diagnostics'
    | 'Metrics'
    | 'Dashboard'
    | 'MCP'
    | 'Contract';
  /** True if the last parameter may contain slashes and may be empty. */
  readonly takesSlashes?: true;
  readonly handler: Operation<Services>;
  /** The setting that enables the route. The OpenAPI document always lists the route. */
  readonly setting?: 'server.metrics.enabled' | 'server.jobs.enabled' | 'server.mcp.enabled';
  /** The reason why no function of the function platform serves the route. Undefined if a function can serve the route. */
  readonly needsProcess?: string;
}

const image = {
  method: 'POST',
  needsProcess:
    'The image is made during the request, which may take longer than a function may run.',
} as const;
const stream = { needsProcess: 'API Gateway does not forward a stream of events.' } as const;
const large = { needsProcess: 'An image may be larger than the reply of a function.' } as const;
const ofProcess = { needsProcess: 'The reply describes one process.' } as const;
const probing = {
  needsProcess: 'Only a process that keeps probing its providers knows which of them are ready.',
} as const;
const openAi = { tag: 'OpenAI' } as const;
const provider = { method: 'GET', tag: 'Providers' } as const;
const artifact = { method: 'GET', tag: 'Artifacts' } as const;
const metrics = { tag: 'Metrics', setting: 'server.metrics.enabled', ...ofProcess } as const;
const job = { tag: 'Jobs', setting: 'server.jobs.enabled' } as const;
const batch = {
  needsProcess: 'A change of 10,000 jobs may take longer than a function may run.',
} as const;
const mcp = {
  path: '/mcp',
  tag: 'MCP',
  setting: 'server.mcp.enabled',
  needsProcess: 'A tool waits for its image and reports its progress in a stream of events.',
} as const;
const dashboard = {
  method: 'GET',
  tag: 'Dashboard',
  setting: 'server.jobs.enabled',
  needsProcess: 'The page reads streams of events from its own origin.',
} as const;

/**
 * Every endpoint, declared once. The listener, the `Allow` header, the metric labels and the OpenAPI document are derived
 * from this table.
 */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/health/live', tag: 'Health', handler: getLiveness },
  { method: 'GET', path: '/health/ready', tag: 'Health', handler: getReadiness, ...ofProcess },
  { ...image, path: '/v1/images', tag: 'Images', handler: createImage },
  { ...image, path: '/v1/images/stream', tag: 'Images', handler: streamImage },
  {
    method: 'POST',
    path: '/v1/plan',
    tag: 'Images',
    handler: planImage,
    ...probing,
  },
  {
    method: 'POST',
    path: '/v1/plan/batch',
    tag: 'Images',
    handler: planImageBatch,
    ...probing,
  },
  { ...openAi, ...image, path: '/v1/images/generations', handler: createImageGeneration },
  { ...openAi, ...image, path: '/v1/images/edits', handler: createImageEdit },
  { ...openAi, method: 'GET', path: '/v1/models', handler: listModels },
  { ...openAi, method: 'GET', path: '/v1/models/{id}', handler: getModel, takesSlashes: true },
  { ...job, method: 'POST', path: '/v1/jobs', handler: createJob },
  { ...job, method: 'GET', path: '/v1/jobs', handler: listJobs },
  { ...job, method: 'GET', path: '/v1/jobs/days', handler: listJobDays },
  { ...job, method: 'GET', path: '/v1/jobs/labels', handler: listJobLabels },
  { ...job, method: 'GET', path: '/v1/jobs/events', handler: streamJobs, ...stream },
  { ...job, method: 'POST', path: '/v1/jobs/batch', handler: changeJobs, ...batch },
  { ...job, method: 'POST', path: '/v1/jobs/batch/{id}/undo', handler: undoJobChanges, ...batch },
  { ...job, method: 'GET', path: '/v1/jobs/{id}', handler: getJob },
  { ...job, method: 'DELETE', path: '/v1/jobs/{id}', handler: cancelJob },
  { ...job, method: 'PATCH', path: '/v1/jobs/{id}', handler: updateJob },
  { ...job, method: 'POST', path: '/v1/jobs/{id}/retry', handler: retryJob },
  { ...job, method: 'GET', path: '/v1/jobs/{id}/family', handler: getJobFamily },
  { ...job, method: 'GET', path: '/v1/jobs/{id}/derived', handler: listDerivedJobs },
  { ...job, method: 'GET', path: '/v1/jobs/{id}/partial', handler: getJobPartial },
  {
    ...job,
    method: 'GET',
    path: '/v1/jobs/{id}/inputs/{index}',
    handler: getJobInput,
    ...large,
  },
  {
    ...job,
    method: 'GET',
    path: '/v1/jobs/{id}/inputs/{index}/thumbnail',
    handler: getJobInputThumbnail,
  },
  { ...job, method: 'GET', path: '/v1/jobs/{id}/events', handler: streamJob, ...stream },
  { ...job, method: 'GET', path: '/v1/prompts', handler: listPrompts },
  { ...job, method: 'GET', path: '/v1/queue', handler: getQueue },
  { ...job, method: 'PATCH', path: '/v1/queue', handler: updateQueue },
  { ...job, method: 'GET', path: '/v1/queue/own', handler: getOwnQueue },
  { ...job, method: 'GET', path: '/v1/queue/jobs', handler: listQueueJobs },
  { ...job, method: 'DELETE', path: '/v1/queue/jobs/{id}', handler: cancelQueueJob },
  { ...provider, path: '/v1/providers', handler: listProviders },
  { ...provider, path: '/v1/providers/{name}/capabilities', handler: getProviderCapabilities },
  {
    method: 'POST',
    path: '/v1/providers/{name}/reconciliation',
    tag: 'Providers',
    handler: reconcileProvider,
    needsProcess: 'The charges of 50 calls may take longer to read than a function may run.',
  },
  { method: 'GET', path: '/v1/presets', tag: 'Presets', handler: listPresets },
  { method: 'POST', path: '/v1/presets', tag: 'Presets', handler: createPreset },
  { method: 'GET', path: '/v1/presets/{name}', tag: 'Presets', handler: getPreset },
  { method: 'PUT', path: '/v1/presets/{name}', tag: 'Presets', handler: replacePreset },
  { method: 'DELETE', path: '/v1/presets/{name}', tag: 'Presets', handler: deletePreset },
  { method: 'GET', path: '/v1/sessions/{key}', tag: 'Sessions', handler: getSession },
  { method: 'DELETE', path: '/v1/sessions/{key}', tag: 'Sessions', handler: deleteSession },
  { method: 'GET', path: '/v1/usage', tag: 'Usage', handler: getUsage },
  { ...artifact, path: '/v1/artifacts/{id}', handler: getArtifact, ...large },
  {
    method: 'PATCH',
    path: '/v1/artifacts/{id}',
    tag: 'Artifacts',
    setting: 'server.jobs.enabled',
    handler: updateArtifact,
  },
  {
    method: 'POST',
    path: '/v1/artifacts/{id}/crop',
    tag: 'Artifacts',
    setting: 'server.jobs.enabled',
    handler: cropArtifact,
  },
  { ...artifact, path: '/v1/artifacts/{id}/thumbnail', handler: getArtifactThumbnail },
  { ...artifact, path: '/v1/artifacts/{id}/credentials', handler: getArtifactCredentials },
  { ...artifact, path: '/v1/artifacts/{id}/manifest', handler: getArtifactManifest, ...large },
  {
    method: 'GET',
    path: '/v1/diagnostics',
    tag: 'Diagnostics',
    handler: getDiagnostics,
    ...ofProcess,
  },
  { ...metrics, method: 'GET', path: '/metrics', handler: getMetrics },
  { ...mcp, method: 'POST', handler: callMcp },
  { ...mcp, method: 'GET', handler: openMcpStream },
  { ...mcp, method: 'DELETE', handler: endMcpSession },
  { ...dashboard, path: '/dashboard', handler: getDashboard },
  {
    ...dashboard,
    path: '/dashboard/assets/{name}',
    handler: getDashboardAsset,
    takesSlashes: true,
  },
  { ...dashboard, path: '/dashboard/{view}', handler: getDashboardView, takesSlashes: true },
  { method: 'GET', path: '/v1/openapi.json', tag: 'Contract', handler: getApiDocument },
];
