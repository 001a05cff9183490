import type { Operation } from './operation.ts';
import { createKey, createSession, deleteKey, deleteSession, getSession, listKeys } from './operations/access.ts';
import { enrolProber, getAssignments, ingestResults } from './operations/prober.ts';
import { getResult, listResults } from './operations/results.ts';
import { getMatrix, getSeries, getStaples } from './operations/statistics.ts';
import { deleteDemo, getDemo, getHealth, getMetrics, getOpenApi, getReady } from './operations/system.ts';
import { createTarget, deleteTarget, getTarget, listTargets, updateTarget } from './operations/targets.ts';
import { createEnrolment, deleteVantage, getVantage, listVantages, updateVantage } from './operations/vantages.ts';

/** Every operation, in the order of the document. */
export const OPERATIONS: readonly Operation[] = [
  listTargets,
  createTarget,
  getTarget,
  updateTarget,
  deleteTarget,
  getStaples,
  listVantages,
  getVantage,
  updateVantage,
  deleteVantage,
  createEnrolment,
  listResults,
  getResult,
  getSeries,
  getMatrix,
  listKeys,
  createKey,
  deleteKey,
  getSession,
  createSession,
  deleteSession,
  getDemo,
  deleteDemo,
  getOpenApi,
  enrolProber,
  getAssignments,
  ingestResults,
  getHealth,
  getReady,
  getMetrics,
];
