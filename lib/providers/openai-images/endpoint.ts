import type { Dialect, ImagesSettings } from './dialects.ts';

type Settings = Pick<
  ImagesSettings,
  'dialect' | 'base_url' | 'api_version' | 'deployments' | 'organization' | 'project'
>;

/** Where calls of a model go, and what opens the door. */
export function createEndpoint(settings: Settings, dialect: Dialect) {
  const { api_version: version, deployments, organization, project } = settings;
  const given = settings.base_url.replace(/\/+$/, '');
  // The address of a resource is also shown with the path of its API.
  const start = settings.dialect === 'azure' ? given.replace(/\/openai(?:\/v1)?$/, '') : given;

  function modelName(model: string): string {
    return deployments[model] ?? model;
  }

  return {
    /** What the server calls the model. */
    modelName,

    /** The address of a call; Azure has one for each deployment, or one for all in its newer API. */
    url(model: string, route: 'generations' | 'edits'): string {
      if (settings.dialect !== 'azure') return `${start}/images/${route}`;
      if (version === undefined) return `${start}/openai/v1/images/${route}`;
      const deployment = encodeURIComponent(modelName(model));
      const query = `api-version=${encodeURIComponent(version)}`;
      return `${start}/openai/deployments/${deployment}/images/${route}?${query}`;
    },

    /** Those that every request to the server has. */
    headers(key: string | undefined): Record<string, string> {
      const isBearer = dialect.keyHeader === 'authorization';
      return {
        ...(key === undefined ? {} : { [dialect.keyHeader]: isBearer ? `Bearer ${key}` : key }),
        ...(organization === undefined ? {} : { 'openai-organization': organization }),
        ...(project === undefined ? {} : { 'openai-project': project }),
      };
    },
  };
}

export type Endpoint = ReturnType<typeof createEndpoint>;
