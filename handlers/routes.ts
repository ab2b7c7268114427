import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { handler as getArtifact } from './artifacts/get-artifact.ts';
import { handler as getArtifactThumbnail } from './artifacts/get-artifact-thumbnail.ts';
import { handler as getDiagnostics } from './diagnostics/get-diagnostics.ts';
import { handler as getLiveness } from './health/get-liveness.ts';
import { handler as getReadiness } from './health/get-readiness.ts';
import { handler as createImage } from './images/create-image.ts';
import { handler as getMetrics } from './metrics/get-metrics.ts';
import { handler as getApiDocument } from './openapi/get-api-document.ts';
import { handler as getProviderCapabilities } from './providers/get-provider-capabilities.ts';
import { handler as listProviders } from './providers/list-providers.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for a path parameter. */
  readonly path: string;
  readonly tag:
    | 'Health'
    | 'Images'
    | 'Providers'
    | 'Artifacts'
    | 'Diagnostics'
    | 'Metrics'
    | 'Contract';
  readonly handler: Operation<Services>;
  /** The setting without which nobody finds the path. The OpenAPI document lists it all the same. */
  readonly setting?: 'server.metrics.enabled';
}

/** Every endpoint, once. The listener, `Allow`, the metrics' labels and the OpenAPI document come from here. */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/health/live', tag: 'Health', handler: getLiveness },
  { method: 'GET', path: '/health/ready', tag: 'Health', handler: getReadiness },
  { method: 'POST', path: '/v1/images', tag: 'Images', handler: createImage },
  { method: 'GET', path: '/v1/providers', tag: 'Providers', handler: listProviders },
  {
    method: 'GET',
    path: '/v1/providers/{name}/capabilities',
    tag: 'Providers',
    handler: getProviderCapabilities,
  },
  { method: 'GET', path: '/v1/artifacts/{id}', tag: 'Artifacts', handler: getArtifact },
  {
    method: 'GET',
    path: '/v1/artifacts/{id}/thumbnail',
    tag: 'Artifacts',
    handler: getArtifactThumbnail,
  },
  { method: 'GET', path: '/v1/diagnostics', tag: 'Diagnostics', handler: getDiagnostics },
  {
    method: 'GET',
    path: '/metrics',
    tag: 'Metrics',
    handler: getMetrics,
    setting: 'server.metrics.enabled',
  },
  { method: 'GET', path: '/v1/openapi.json', tag: 'Contract', handler: getApiDocument },
];
