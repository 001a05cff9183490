-- Columns without a default: instant on every partition, whatever its size. Rows from before read as `main`.
-- AlterTable
ALTER TABLE "result" ADD COLUMN     "variant" SMALLINT,
ADD COLUMN     "main_id" UUID,
ADD COLUMN     "given" SMALLINT,
ADD COLUMN     "late_us" INTEGER,
ADD COLUMN     "stamped_by" SMALLINT,
ADD COLUMN     "rtt_us" INTEGER,
ADD COLUMN     "syn_retransmits" INTEGER,
ADD COLUMN     "segments_in" INTEGER,
ADD COLUMN     "segments_out" INTEGER,
ADD COLUMN     "out_of_order" INTEGER,
ADD COLUMN     "signature_id" INTEGER,
ADD COLUMN     "sent_chain_id" INTEGER,
ADD COLUMN     "hellos_id" INTEGER,
ADD COLUMN     "session_offer_id" INTEGER,
ADD COLUMN     "round_trip_counts_id" INTEGER,
ADD COLUMN     "first_packet_us" INTEGER,
ADD COLUMN     "first_usable_us" INTEGER;

-- CreateTable
CREATE TABLE "prober_report" (
    "prober_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "checks" INTEGER NOT NULL,
    "threads" SMALLINT NOT NULL,
    "started" BIGINT NOT NULL,
    "missed" BIGINT NOT NULL,
    "retaken" BIGINT NOT NULL,
    "unclean" BIGINT NOT NULL,
    "dropped" BIGINT NOT NULL,

    CONSTRAINT "prober_report_pkey" PRIMARY KEY ("prober_id","since")
);

-- CreateIndex
CREATE INDEX "prober_report_prober_id_received_at_idx" ON "prober_report"("prober_id", "received_at");

-- AddForeignKey
ALTER TABLE "prober_report" ADD CONSTRAINT "prober_report_prober_id_fkey" FOREIGN KEY ("prober_id") REFERENCES "prober"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "staple_minute" (
    "target_id" UUID NOT NULL,
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "peer_address_id" INTEGER NOT NULL,
    "certificate_id" INTEGER NOT NULL,
    "status_id" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,

    CONSTRAINT "staple_minute_pkey" PRIMARY KEY ("target_id","bucket","peer_address_id","certificate_id","status_id")
) PARTITION BY RANGE ("bucket");
