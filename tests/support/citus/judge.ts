import { afterAll } from 'vitest';
import { judgeStatements } from './statements.ts';

// Vitest's setup of each integration test file: one in which the product sent what Citus refuses fails.

afterAll(judgeStatements);
