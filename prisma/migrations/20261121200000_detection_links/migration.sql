-- CreateTable
CREATE TABLE "incident_detection" (
    "incident_id" UUID NOT NULL,
    "detection_id" UUID NOT NULL,

    CONSTRAINT "incident_detection_pkey" PRIMARY KEY ("incident_id","detection_id")
);

-- CreateIndex
CREATE INDEX "incident_detection_detection_id_idx" ON "incident_detection"("detection_id");

-- What was linked to one incident keeps it.
INSERT INTO "incident_detection" ("incident_id", "detection_id")
  SELECT d."incident_id", d."id" FROM "detection" d JOIN "incident" i ON i."id" = d."incident_id";

-- AddForeignKey
ALTER TABLE "incident_detection" ADD CONSTRAINT "incident_detection_incident_id_fkey" FOREIGN KEY ("incident_id") REFERENCES "incident"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incident_detection" ADD CONSTRAINT "incident_detection_detection_id_fkey" FOREIGN KEY ("detection_id") REFERENCES "detection"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- DropIndex
DROP INDEX "detection_incident_id_idx";

-- AlterTable
ALTER TABLE "detection" DROP COLUMN "incident_id";

-- CreateTable
CREATE TABLE "detector_status" (
    "id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "series" INTEGER NOT NULL,
    "samples" BIGINT NOT NULL,
    "late" BIGINT NOT NULL,
    "cpu_ms" DOUBLE PRECISION NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "detector_status_pkey" PRIMARY KEY ("id")
);
